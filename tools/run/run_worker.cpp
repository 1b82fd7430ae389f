#include "run/run_worker.hpp"

#include <spdlog/spdlog.h>

#include "core/check.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "run/job.hpp"
#include "run/launch.hpp"
#include "run/retry.hpp"
#include "run/workload_facts.hpp"
#include "transfer/remote_cleanup.hpp"

namespace npuprof::run {
namespace {

using namespace std::chrono_literals;

constexpr auto tick = 500ms;               // how late a wish to cancel is seen
constexpr auto save_every = 1s;            // progress on disk, for other processes
constexpr auto supervisor_patience = 30s;  // for the first sign of a supervisor after its start
constexpr auto lost_after = std::chrono::hours(24);
constexpr std::size_t log_tail_bytes = 4000;

// Milliseconds since `began`, for the record.
double elapsed_ms(Clock& clock, Clock::Steady::time_point began) {
  return std::chrono::duration<double, std::milli>(clock.steady() - began).count();
}

// The settings that the host's versions ask for, said in a check each.
void apply_overrides(const PrecheckOutcome& outcome, Json& arguments, Json& checks) {
  for (const auto& override : outcome.overrides) {
    Json changed = Json::object();
    for (const auto& [name, value] : override.settings.items()) {
      if (!arguments.contains(name) || arguments[name] == value) continue;
      changed[name] = {{"asked", arguments[name]}, {"taken", value}};
      arguments[name] = value;
    }
    if (changed.empty()) continue;
    checks.push_back(Check{.id = "setting_changed",
                           .status = CheckStatus::warn,
                           .message = override.why,
                           .evidence = changed});
  }
}

}  // namespace

double percent_done(const Record& record) {
  static const std::map<std::string, double> begins = {
      {"queued", 0},  {"precheck", 1},    {"launch", 6},  {"lease", 7},   {"start", 8},
      {"load", 10},   {"first_step", 14}, {"warmup", 18}, {"window", 18}, {"flush", 65},
      {"export", 70}, {"fetch", 80},      {"judge", 96},  {"done", 100}};
  const auto found = begins.find(record.stage);
  double percent = found == begins.end() ? 0 : found->second;
  const auto of = record.progress.value("of", 0.0);
  if (percent == 18 && of > 0)
    percent += 45 * std::min(1.0, record.progress.value("step", 0.0) / of);
  return percent;
}

RunWorker::RunWorker(RunParts& parts, LiveRun& live)
    : parts_(parts),
      live_(live),
      record_(live.record()),
      journal_(parts.store.directory(record_.run_id) / "journal.jsonl", parts.clock) {}

void RunWorker::save(const std::string& message) {
  record_.progress["percent"] =
      std::max(record_.progress.value("percent", 0.0), percent_done(record_));
  if (auto saved = parts_.store.save(record_); !saved) {
    spdlog::warn("{}: {}", record_.run_id, saved.error().message);
  }
  saved_at_ = parts_.clock.steady();
  live_.publish(record_, record_.progress["percent"], message);
}

void RunWorker::save_seldom(const std::string& message) {
  if (parts_.clock.steady() - saved_at_ >= save_every) return save(message);
  live_.publish(record_, percent_done(record_), message);
}

void RunWorker::end(RunState state, const Error& error) {
  if (may_follow(record_.state, state)) record_.state = state;
  record_.error = error;
  (void)journal_.append({{"kind", "state"}, {"state", to_string(record_.state)}, {"error", error}});
  save(error.message);
}

void RunWorker::carry_on(const std::stop_token& stop) {
  auto lines = journal_.read();
  auto target = find_target(parts_.config, record_.target);
  if (!lines || !target) {
    // Not the run's own failure: it stays as it is, for a npuprof that can carry it.
    record_.error = lines ? target.error() : lines.error();
    return live_.finish(record_);
  }
  if (!is_final(record_.state) && !has_begun(*lines, "launch") && !start(stop)) {
    return live_.finish(record_);
  }
  if (!is_final(record_.state) && !has_ended_well(*lines, "launch") &&
      !launch_job(**target, stop)) {
    return live_.finish(record_);
  }
  if (!is_final(record_.state) || record_.state == RunState::lost) follow(**target, stop);
  if (is_final(record_.state) && record_.has_output() && record_.wants_fetch() &&
      record_.state != RunState::cancelled && record_.artifact_state() != "verified") {
    const BringHome what{.home = parts_.store.directory(record_.run_id),
                         .files = record_.arguments.value("files", "all"),
                         .archive = record_.arguments.value("archive", true)};
    bring_home(what, false, stop);
    return;
  }
  if (record_.is_done() && record_.error.is_null()) {
    record_.stage = "done";
    save("done");
  }
  live_.finish(record_);
}

bool RunWorker::start(const std::stop_token& stop) {
  const auto nothing_ran = [&](const Error& error) {
    end(RunState::failed, error);
    return false;
  };
  if (parts_.store.cancel_asked(record_.run_id)) {
    end(RunState::cancelled, {.code = codes::cancelled, .message = "cancelled before it started"});
    return false;
  }
  auto request = read_request(record_.arguments, parts_.config);
  if (!request) return nothing_ran(request.error());
  record_.state = RunState::prechecking;
  record_.stage = "precheck";
  save("precheck");
  if (auto begun = journal_.begin("precheck"); !begun) return nothing_ran(begun.error());
  auto host = parts_.host_of(*request->target);
  if (!host) return nothing_ran(host.error());
  return precheck(**host, *request, stop);
}

bool RunWorker::precheck(Host& host, const Request& asked, const std::stop_token& stop) {
  const auto began = parts_.clock.steady();
  std::stop_source either;
  const auto pass_on = [&] { either.request_stop(); };
  const std::stop_callback on_stop(stop, pass_on);
  const std::stop_callback on_cancel(live_.cancel().get_token(), pass_on);
  Request request = asked;
  auto facts = look_at_workload(host, request, either.get_token());
  PrecheckOutcome outcome;
  if (facts) outcome = parts_.precheck(host, request, either.get_token());
  if (stop.stop_requested()) return false;
  if (parts_.store.cancel_asked(record_.run_id)) {
    end(RunState::cancelled, {.code = codes::cancelled, .message = "cancelled before it started"});
    return false;
  }
  if (!facts) {
    end(RunState::failed, facts.error());
    return false;
  }
  record_.checks = outcome.checks;
  record_.versions = outcome.versions;
  record_.simulated = outcome.simulated;
  record_.workspace = facts->workspace;
  record_.workload = describe_workload(request, *facts);
  auto chosen = choose_devices(request, outcome);
  // A device that is not there is the caller's to correct, whatever else the precheck says.
  if (outcome.error && (chosen || chosen.error().code != codes::device_unknown)) {
    chosen = fail(*outcome.error);
  }
  record_.timings_ms["precheck"] = elapsed_ms(parts_.clock, began);
  if (!chosen) {
    (void)journal_.end("precheck", false, {{"error", chosen.error()}});
    end(RunState::failed, chosen.error());
    return false;
  }
  apply_overrides(outcome, request.arguments, record_.checks);
  record_.arguments = request.arguments;
  std::vector<JobDevice> devices;
  record_.devices = Json::array();
  for (const auto& device : *chosen) {
    devices.push_back({.device_id = device.device_id, .lease_key = device.lease_key});
    record_.devices.push_back(device.facts);
  }
  record_.remote_dir = run_directory(facts->workspace, record_.run_id);
  record_.launch = {{"job", make_job(request, *facts, devices, record_.run_id, Purpose::collect,
                                     parts_.clock.system())},
                    {"set_env", outcome.set_env}};
  if (auto ended = journal_.end("precheck", true); !ended) {
    end(RunState::failed, ended.error());
    return false;
  }
  return true;
}

bool RunWorker::launch_job(const Target& target, const std::stop_token& stop) {
  const auto began = parts_.clock.steady();
  bool again = record_.started;
  record_.started = true;
  record_.state = RunState::running;
  record_.stage = "launch";
  if (record_.deadline_at.empty()) {
    const auto longest = std::chrono::duration_cast<Clock::System::duration>(
        std::chrono::duration<double>(longest_run_s(record_.arguments) + 120));
    record_.deadline_at = to_iso8601(parts_.clock.system() + longest);
  }
  save("starting on the host");
  if (auto begun = journal_.begin("launch"); !begun) {
    record_.started = again;
    end(RunState::failed, begun.error());
    return false;
  }
  BackOff back_off(parts_.clock);
  while (true) {
    Result<Json> said = fail(Error{});
    if (auto host = parts_.host_of(target)) {
      said = launch(**host, target,
                    {.job = record_.launch["job"],
                     .set_env = record_.launch["set_env"].get<std::vector<std::string>>(),
                     .again = again},
                    {});  // not to be broken off: half a start is what nobody wants
    } else {
      said = fail(host.error());
    }
    if (said) {
      record_.reachable = true;
      record_.timings_ms["launch"] = elapsed_ms(parts_.clock, began);
      (void)journal_.end("launch", true, *said);
      save("started on the host");
      return true;
    }
    if (stop.stop_requested()) return false;
    // A lost connection leaves open how far it came: taken up until the run's own deadline.
    const bool open = is_connection_error(said.error()) && (again || !is_permanent(said.error())) &&
                      again_possible(record_, parts_.clock) &&
                      !parts_.store.cancel_asked(record_.run_id);
    if (!open) {
      (void)journal_.end("launch", false, {{"error", said.error()}});
      if (auto host = parts_.host_of(target); host && !is_connection_error(said.error())) {
        (void)transfer::remove_remote(**host, record_.workspace, record_.run_id, stop);
      }
      end(RunState::failed, said.error());
      return false;
    }
    again = true;
    record_.reachable = false;
    save("the host does not answer: " + said.error().message);
    back_off.wait(stop);
  }
}

bool RunWorker::handle_cancel(const Target& target, const std::stop_token& stop) {
  if (cancel_sent_ || !parts_.store.cancel_asked(record_.run_id)) return false;
  auto host = parts_.host_of(target);
  if (!host) return false;
  auto status = cancel_on_host(**host, target, record_.remote_dir, stop);
  cancel_sent_ = status.has_value();
  if (!status && status.error().code == codes::not_found) missing_ = true;
  if (!status) spdlog::warn("{}: {}", record_.run_id, status.error().message);
  return cancel_sent_;
}

void RunWorker::take_news(const std::vector<News>& news, ObservedRun& observed) {
  for (const auto& item : news) {
    switch (item.kind) {
      case News::Kind::event:
        observed.add_event(item.body);
        break;
      case News::Kind::status:
        if (item.body.is_null() && !unseen_) unseen_since_ = parts_.clock.steady();
        unseen_ = item.body.is_null();
        if (!unseen_) observed.add_status(item.body, item.alive);
        record_.reachable = true;
        break;
      case News::Kind::missing:
        missing_ = true;
        break;
      case News::Kind::reachable:
        record_.reachable = true;
        break;
      case News::Kind::unreachable:
        record_.reachable = false;
        spdlog::info("{}: {}", record_.run_id, item.error.message);
        break;
    }
  }
}

void RunWorker::note_evidence(const ObservedRun& observed) {
  for (const auto& [state, proof] : observed.evidence()) {
    if (!record_.evidence.contains(state)) (void)journal_.evidence(state, proof);
  }
}

void RunWorker::follow(const Target& target, const std::stop_token& stop) {
  (void)journal_.begin("follow");
  const auto& ranks = record_.arguments["ranks"];
  ObservedRun observed(ranks.empty() ? 0 : ranks.front().get<int>());
  auto news_of = parts_.follower(target, runs_directory(record_.workspace))
                     .follow(record_.run_id, observed.next_seq());
  while (!stop.stop_requested() && !observed.end() && !missing_) {
    const auto news = news_of->wait(parts_.clock.steady() + tick, stop);
    take_news(news, observed);
    handle_cancel(target, stop);
    if (unseen_ && parts_.clock.steady() - unseen_since_ > supervisor_patience) {
      Json nothing = {{"format", 1}, {"state", "running"}, {"stage", "launch"}};
      observed.add_status(nothing, false);
    }
    if (!record_.reachable && is_past(record_.deadline_at, lost_after, parts_.clock)) break;
    if (news.empty()) continue;
    note_evidence(observed);
    const auto before = std::pair(record_.state, record_.stage);
    if (!observed.end()) observed.show(record_);
    if (before.first != record_.state) {
      (void)journal_.append({{"kind", "state"}, {"state", to_string(record_.state)}});
    }
    before == std::pair(record_.state, record_.stage) ? save_seldom(record_.stage)
                                                      : save(record_.stage);
  }
  if (stop.stop_requested() && !observed.end()) return;
  if (!observed.end()) {
    const auto where = missing_ ? "the host answers, but the run's directory is gone from it"
                                : "the host stayed away for a day past the run's deadline";
    return end(RunState::lost, {.code = codes::run_lost,
                                .message = std::string("the run is lost: ") + where,
                                .remedy = "Call collect_profile again."});
  }
  observed.show(record_);
  if (record_.state != RunState::timed_out && record_.state != RunState::failed &&
      record_.state != RunState::cancelled) {
    record_.error = nullptr;
  }
  read_log_tail(target);
  (void)journal_.append({{"kind", "state"}, {"state", to_string(record_.state)}});
  (void)journal_.end("follow", true);
  save("the capture has ended: " + std::string(to_string(record_.state)));
}

void RunWorker::read_log_tail(const Target& target) {
  auto host = parts_.host_of(target);
  if (!host) return;
  auto said = (*host)->shell(R"(tail -c "$2" "$1/stdout.log" 2>/dev/null)",
                             {record_.remote_dir, std::to_string(log_tail_bytes)});
  if (said) record_.log_tail = clean_host_text(said->out, log_tail_bytes);
}

void RunWorker::bring_home(const BringHome& what, bool remove_remote, const std::stop_token& stop) {
  if (auto brought = fetch_and_judge(what, remove_remote, stop); !brought) {
    if (!stop.stop_requested()) {
      // What the capture ended with is the graver error; this one is in the journal.
      if (record_.error.is_null()) record_.error = brought.error();
      (void)journal_.append({{"kind", "error"}, {"error", brought.error()}});
    }
    save(brought.error().message);
    return live_.finish(record_);
  }
  record_.stage = "done";
  save("done");
  live_.finish(record_);
}

Result<void> RunWorker::fetch_and_judge(const BringHome& what, bool remove_remote,
                                        const std::stop_token& stop) {
  auto target = find_target(parts_.config, record_.target);
  if (!target) return fail(target.error());
  auto began = parts_.clock.steady();
  record_.stage = "fetch";
  save("fetch");
  (void)journal_.begin("fetch");
  const auto progress = [&](const Progress& at) {
    const double share = at.total.value_or(0) > 0 ? at.done / *at.total : 0;
    live_.publish(record_, 80 + 15 * std::min(1.0, share), at.message);
  };
  std::string description;
  BackOff back_off(parts_.clock);
  const auto give_up = began + std::chrono::hours(1);
  while (true) {
    auto host = parts_.host_of(**target);
    Result<void> fetched =
        host ? fetch_home(**host, parts_.config.transfer, what, record_, progress, stop)
             : Result<void>(fail(host.error()));
    record_.reachable = fetched || !is_connection_error(fetched.error());
    if (fetched) {
      description = (*host)->description();
      break;
    }
    if (stop.stop_requested() || !is_connection_error(fetched.error()) ||
        is_permanent(fetched.error()) || parts_.clock.steady() > give_up) {
      (void)journal_.end("fetch", false, {{"error", fetched.error()}});
      return fetched;
    }
    save("the host does not answer: " + fetched.error().message);
    back_off.wait(stop);
  }
  record_.timings_ms["fetch"] = elapsed_ms(parts_.clock, began);
  (void)journal_.end("fetch", true);
  (void)journal_.evidence("fetched", record_.evidence["fetched"]);
  began = parts_.clock.steady();
  record_.stage = "judge";
  save("judge");
  (void)journal_.begin("judge");
  auto judged = judge(what, description, record_, parts_.clock, stop);
  if (!judged) return fail(judged.error());
  if (!*judged) return fail({.code = codes::cancelled, .message = "stopped before the judgement"});
  record_.timings_ms["judge"] = elapsed_ms(parts_.clock, began);
  (void)journal_.end("judge", true, {{"trust", record_.verdict.value("trust", "unknown")}});
  if (record_.state == RunState::captured) record_.error = nullptr;
  if (remove_remote) {
    auto host = parts_.host_of(**target);
    if (!host) return fail(host.error());
    return transfer::remove_remote(**host, record_.workspace, record_.run_id, stop);
  }
  return {};
}

}  // namespace npuprof::run
