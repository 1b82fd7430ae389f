#include "run/runs.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include "core/error_codes.hpp"
#include "run/adopt.hpp"
#include "run/host_python.hpp"
#include "run/run_id.hpp"
#include "run/run_worker.hpp"
#include "run/workload_facts.hpp"

namespace npuprof::run {
namespace {

using namespace std::chrono_literals;

constexpr auto poll_other = 500ms;  // how often a run is looked at that another process carries
constexpr auto cancel_patience = 90s;

void carry_on(RunWorker& worker, const std::stop_token& stop) {
  worker.carry_on(stop);
}

Error key_conflict(const Record& existing) {
  return {.code = codes::run_key_conflict,
          .message = "nothing was run: the run_key " + existing.run_key + " is that of the run " +
                     existing.run_id + ", which has other arguments",
          .remedy = "Use another run_key, or the same arguments to get that run.",
          .who = Who::agent,
          .details = {{"run_id", existing.run_id}}};
}

// A run that failed before anything was started may be made anew under its key.
bool may_be_replaced(const Record& record) {
  return is_final(record.state) && record.state != RunState::captured && !record.started;
}

}  // namespace

Runs::Runs(Config config, Clock& clock, RunStore store, HostOf host_of, PrecheckStage precheck)
    : parts_{.config = std::move(config),
             .clock = clock,
             .store = std::move(store),
             .host_of = std::move(host_of),
             .precheck = std::move(precheck)} {}

Runs::~Runs() {
  std::map<std::string, Carried> carried;
  {
    const std::lock_guard lock(mutex_);
    carried.swap(carried_);
  }
  for (auto& [id, run] : carried) run.thread.request_stop();
}

std::optional<Clock::Steady::time_point> Runs::until(Patience patience) const {
  if (!patience) return std::nullopt;
  return parts_.clock.steady() + *patience;
}

std::shared_ptr<LiveRun> Runs::find_live(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const auto found = carried_.find(run_id);
  return found == carried_.end() || found->second.live->finished() ? nullptr : found->second.live;
}

Result<std::shared_ptr<LiveRun>> Runs::carry(const std::string& run_id, const Work& work) {
  const std::lock_guard guard(mutex_);
  std::erase_if(carried_, [](const auto& entry) { return entry.second.live->finished(); });
  if (const auto found = carried_.find(run_id); found != carried_.end()) return found->second.live;
  auto lock = parts_.store.try_lock(run_id);
  if (!lock) return fail(lock.error());
  if (!*lock) return nullptr;
  auto record = parts_.store.load(run_id);
  if (!record) return fail(record.error());
  auto live = std::make_shared<LiveRun>(*record);
  (void)parts_.store.journal(run_id).append({{"kind", "taken_over"}, {"pid", ::getpid()}});
  auto& entry = carried_[run_id];
  entry.live = live;
  entry.thread =
      std::jthread([this, live, work, held = std::make_shared<RunLock>(*std::move(*lock))](
                       const std::stop_token& stop) { work_on(*live, work, stop); });
  return live;
}

void Runs::work_on(LiveRun& live, const Work& work, const std::stop_token& stop) {
  try {
    RunWorker worker(parts_, live);
    work(worker, stop);
  } catch (const std::exception& bug) {
    auto record = live.record();
    spdlog::error("{}: {}", record.run_id, bug.what());
    record.error =
        Error{.code = codes::internal, .message = std::string("npuprof failed: ") + bug.what()};
    (void)parts_.store.save(record);
    live.finish(record);
  }
}

Result<Record> Runs::make_run(const Request& request, CallContext& context) {
  // Before anything is made: what the caller must correct leaves no run behind.
  auto host = parts_.host_of(*request.target);
  if (!host) return fail(host.error());
  auto facts = look_at_workload(**host, request, context.stop);
  if (!facts) return fail(facts.error());
  Record record;
  record.run_id = make_run_id(request.target->name, parts_.clock.system());
  record.target = request.target->name;
  record.arguments = request.arguments;
  record.asked = request.arguments;
  record.run_key = request.arguments.value("run_key", "");
  record.workspace = facts->workspace;
  record.workload = describe_workload(request, *facts);
  for (const char* name : {"warmup_steps", "guard_steps", "active_steps"}) {
    record.window[name] = request.arguments[name];
  }
  if (auto made = parts_.store.create(record); !made) return fail(made.error());
  return record;
}

Result<Record> Runs::collect(const Json& arguments, Patience patience, CallContext& context) {
  auto request = read_request(arguments, parts_.config);
  if (!request) return fail(request.error());
  const auto key = request->arguments.value("run_key", "");
  if (key.empty()) {
    auto made = make_run(*request, context);
    if (!made) return made;
    return wait(made->run_id, patience, context);
  }
  std::string run_id;
  {
    auto lock = parts_.store.lock_key(request->target->name, key);
    if (!lock) return fail(lock.error());
    if (const auto known = parts_.store.run_of_key(request->target->name, key)) {
      if (auto existing = parts_.store.load(*known); existing && !may_be_replaced(*existing)) {
        const Request other{.target = request->target, .way = "", .arguments = existing->asked};
        if (other.digest() != request->digest()) return fail(key_conflict(*existing));
        run_id = existing->run_id;
      }
    }
    if (run_id.empty()) {
      auto made = make_run(*request, context);
      if (!made) return made;
      run_id = made->run_id;
      if (auto bound = parts_.store.bind_key(request->target->name, key, run_id); !bound) {
        (void)parts_.store.remove(run_id);
        return fail(bound.error());
      }
    }
  }
  return wait(run_id, patience, context);
}

Result<Record> Runs::wait(const std::string& run_id, Patience patience, CallContext& context) {
  const auto end = until(patience);
  auto record = parts_.store.load(run_id);
  if (!record) return record;
  auto live = find_live(run_id);
  if (!live) {
    if (record->is_done()) return record;
    auto carried = carry(run_id, carry_on);
    if (!carried) return fail(carried.error());
    live = *carried;
  }
  if (!live) return wait_for_other(run_id, end, context);
  live->wait(end, context);
  return live->record();
}

Result<Record> Runs::wait_for_other(const std::string& run_id,
                                    std::optional<Clock::Steady::time_point> until,
                                    CallContext& context) {
  while (true) {
    auto record = parts_.store.load(run_id);
    if (!record || record->is_done()) return record;
    const auto now = parts_.clock.steady();
    if (context.stop.stop_requested() || (until && now >= *until)) return record;
    parts_.clock.wait_until(until ? std::min(*until, now + poll_other) : now + poll_other,
                            context.stop);
    auto lock = parts_.store.try_lock(run_id);
    if (!lock) return fail(lock.error());
    if (!*lock) continue;
    lock->reset();
    // Whoever carried it is gone.
    record = parts_.store.load(run_id);
    if (!record || record->is_done()) return record;
    const auto left = until ? Patience(std::chrono::duration_cast<std::chrono::seconds>(
                                  *until - parts_.clock.steady()))
                            : Patience();
    return wait(run_id, left, context);
  }
}

Result<Record> Runs::fetch(const std::string& run_id, BringHome what, bool remove_remote,
                           Patience patience, CallContext& context) {
  const auto end = until(patience);
  auto record = wait(run_id, patience, context);
  if (!record) return record;
  if (!is_final(record->state) || find_live(run_id)) return record;
  if (!record->has_output()) return record;
  if (what.home.empty()) what.home = parts_.store.directory(run_id);
  auto carried =
      carry(run_id, [what, remove_remote](RunWorker& worker, const std::stop_token& stop) {
        worker.bring_home(what, remove_remote, stop);
      });
  if (!carried) return fail(carried.error());
  if (!*carried) return wait_for_other(run_id, end, context);
  (*carried)->wait(end, context);
  return (*carried)->record();
}

Result<Record> Runs::fetch_directory(const Target& target, const std::string& remote_dir,
                                     BringHome what, Patience patience, CallContext& context) {
  auto host = parts_.host_of(target);
  if (!host) return fail(host.error());
  auto directory = resolve_directory(**host, target, remote_dir, context.stop);
  if (!directory) return fail(directory.error());
  std::string run_id;
  {
    const auto key = "directory " + *directory;
    auto lock = parts_.store.lock_key(target.name, key);
    if (!lock) return fail(lock.error());
    const auto known = parts_.store.run_of_key(target.name, key);
    if (known && parts_.store.load(*known)) {
      run_id = *known;
    } else {
      Record record;
      record.run_id = make_run_id(target.name, parts_.clock.system());
      record.target = target.name;
      record.state = RunState::captured;
      record.stage = "fetch";
      record.foreign = true;
      record.simulated = is_simulated(**host, target, context.stop);
      record.remote_dir = *directory;
      record.arguments = {{"fetch", true}};
      record.workload = Json::object();
      if (auto made = parts_.store.create(record); !made) return fail(made.error());
      run_id = record.run_id;
      if (auto bound = parts_.store.bind_key(target.name, key, run_id); !bound) {
        return fail(bound.error());
      }
    }
  }
  if (what.home.empty()) what.home = parts_.store.directory(run_id);
  auto carried = carry(run_id, [what](RunWorker& worker, const std::stop_token& stop) {
    worker.bring_home(what, false, stop);
  });
  if (!carried) return fail(carried.error());
  if (!*carried) return wait_for_other(run_id, until(patience), context);
  (*carried)->wait(until(patience), context);
  return (*carried)->record();
}

Result<Record> Runs::adopt(const Target& target, const std::string& run_id, CallContext& context) {
  auto host = parts_.host_of(target);
  if (!host) return fail(host.error());
  auto record = read_orphan(**host, target, run_id, context.stop);
  if (!record) return record;
  if (auto made = parts_.store.create(*record); !made) {
    if (made.error().code != codes::already_exists) return fail(made.error());
    return parts_.store.load(run_id);
  }
  auto journal = parts_.store.journal(run_id);
  (void)journal.begin("launch");
  (void)journal.end("launch", true, {{"adopted", true}});
  return record;
}

Result<Record> Runs::cancel(const std::string& run_id, CallContext& context) {
  auto record = parts_.store.load(run_id);
  if (!record || is_final(record->state)) return record;
  if (auto asked = parts_.store.ask_cancel(run_id); !asked) return fail(asked.error());
  auto carried = carry(run_id, carry_on);
  if (!carried) return fail(carried.error());
  const auto end = parts_.clock.steady() + cancel_patience;
  if (!*carried) return wait_for_other(run_id, end, context);
  (*carried)->cancel().request_stop();
  (*carried)->wait(end, context);
  return (*carried)->record();
}

void Runs::resume_all() {
  for (const auto& record : parts_.store.list()) {
    if (record.is_done()) continue;
    if (auto carried = carry(record.run_id, carry_on); !carried) {
      spdlog::warn("{}: {}", record.run_id, carried.error().message);
    }
  }
}

}  // namespace npuprof::run
