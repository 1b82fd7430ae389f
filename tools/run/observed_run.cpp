#include "run/observed_run.hpp"

#include "core/check.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::run {
namespace {

constexpr std::size_t most_steps = 100'000;
constexpr std::size_t most_notes = 100;
constexpr std::size_t most_outputs = 20;

std::string text_of(const Json& object, const char* name, std::size_t limit = 1000) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return "";
  return clean_host_text(found->get<std::string>(), limit);
}

std::optional<std::int64_t> integer_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<double> number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// Strings of the host inside a value, cleaned.
Json cleaned(const Json& value) {
  if (value.is_string()) return clean_host_text(value.get<std::string>(), 1000);
  if (!value.is_structured()) return value;
  Json result = value.is_array() ? Json::array() : Json::object();
  if (value.is_array()) {
    for (const auto& item : value) result.push_back(cleaned(item));
  } else {
    for (const auto& [name, item] : value.items())
      result[clean_host_text(name, 100)] = cleaned(item);
  }
  return result;
}

Who who_can_mend(const std::string& code) {
  return code == codes::device_busy ? Who::agent : Who::user;
}

std::string remedy_of(const std::string& code) {
  if (code == codes::device_busy) {
    return "Choose another device, wait with wait_for_device_s, or end the holder with cancel_run.";
  }
  if (code == codes::workload_failed) {
    return "Read log_tail, mend the workload, and call collect_profile again.";
  }
  if (code == codes::runner_died) {
    return "Something killed npuprof's supervisor on the host (the out-of-memory killer, a reboot, "
           "an administrator). Look at the host, then call collect_profile again.";
  }
  if (code == codes::timed_out) {
    return "Raise timeout_s, or find out from log_tail why the workload takes so long.";
  }
  return "";
}

}  // namespace

void ObservedRun::add_step(const Json& event) {
  if (integer_of(event, "rank").value_or(rank_) != rank_) return;
  const auto phase = text_of(event, "phase", 20);
  const auto ms = number_of(event, "ms");
  if (phase.empty() || !ms || step_ms_[phase].size() >= most_steps) return;
  step_ms_[phase].push_back(*ms);
  if (!first_step_id_ && (phase == "guard" || phase == "active")) {
    first_step_id_ = integer_of(event, "step_id");
  }
}

void ObservedRun::add_stage(const Json& event) {
  const auto t = number_of(event, "t").value_or(0);
  if (stage_began_s_ > 0 && t >= stage_began_s_) timings_ms_[stage_] += (t - stage_began_s_) * 1e3;
  stage_began_s_ = t;
  if (const auto stage = text_of(event, "stage", 40); !stage.empty()) stage_ = stage;
  if (stage_ == "export" && !is_final(state_)) state_ = RunState::exporting;
}

void ObservedRun::add_output(const Json& event) {
  if (const auto peak = number_of(event, "peak_memory_mb")) peak_memory_mb_ = peak;
  if (const auto found = event.find("outputs"); found != event.end() && found->is_array()) {
    outputs_ = Json::array();
    for (const auto& output : *found) {
      if (output.is_object() && outputs_.size() < most_outputs) outputs_.push_back(cleaned(output));
    }
  }
  if (const auto found = event.find("problems"); found != event.end() && found->is_array()) {
    output_problems_.clear();
    for (const auto& problem : *found) {
      if (problem.is_string() && output_problems_.size() < most_outputs) {
        output_problems_.push_back(clean_host_text(problem.get<std::string>(), 500));
      }
    }
  }
}

void ObservedRun::add_event(const Json& event) {
  if (!event.is_object()) return;
  const auto seq = integer_of(event, "seq");
  if (!seq || *seq <= last_seq_) return;
  last_seq_ = *seq;
  if (!began_s_) began_s_ = number_of(event, "t");
  const auto kind = text_of(event, "kind", 20);
  if (kind == "stage" || kind == "end") {
    add_stage(event);
  } else if (kind == "step") {
    add_step(event);
  } else if (kind == "output") {
    add_output(event);
  } else if (kind == "evidence") {
    const auto state = text_of(event, "state", 40);
    if (!state.empty() && !evidence_.contains(state)) {
      evidence_[state] = cleaned(event.value("proof", Json::object()));
    }
  } else if (kind == "error") {
    if (error_.is_null()) error_ = cleaned(event);
  } else if (kind == "note" && notes_.size() < most_notes) {
    notes_.push_back(cleaned(event));
  }
}

void ObservedRun::add_status(const Json& status, bool alive) {
  if (!status.is_object()) return;
  const auto told = text_of(status, "state", 20);
  const auto state = told == "done" ? RunState::captured : run_state_from(told);
  if (!state || !may_follow(state_, *state)) return;
  state_ = *state;
  if (const auto stage = text_of(status, "stage", 40); !stage.empty()) stage_ = stage;
  step_ = integer_of(status, "step").value_or(step_);
  of_ = integer_of(status, "of").value_or(of_);
  told_events_ = integer_of(status, "events").value_or(0);
  if (const auto started = number_of(status, "started_at")) began_s_ = started;
  if (const auto error = status.find("error"); error != status.end() && error->is_object()) {
    error_ = cleaned(*error);
  }
  supervisor_gone_ = !alive;
}

std::optional<RunState> ObservedRun::end() const {
  if (is_final(state_)) {
    // A gone supervisor tells no more events, even where the status promised some.
    if (last_seq_ >= told_events_ || supervisor_gone_) return state_;
    return std::nullopt;
  }
  if (supervisor_gone_) return RunState::failed;
  return std::nullopt;
}

// The one-step check of the precheck, made with the first step of the run itself.
void ObservedRun::show_output_check(Record& record) const {
  std::erase_if(record.checks.get_ref<Json::array_t&>(),
                [](const Json& check) { return check.value("id", "") == "first_step_output"; });
  std::string said;
  for (const auto& problem : output_problems_) said += (said.empty() ? "" : "; ") + problem;
  record.checks.push_back(
      Check{.id = "first_step_output",
            .status = output_problems_.empty() ? CheckStatus::pass : CheckStatus::fail,
            .message = output_problems_.empty() ? "the first step gave an output: not empty, not "
                                                  "all zero, no NaN"
                                                : said,
            .evidence = outputs_,
            .remedy = output_problems_.empty() ? "" : "Correct the model or its input."});
}

void ObservedRun::show(Record& record) const {
  const auto state = end().value_or(is_final(state_) ? record.state : state_);
  if (may_follow(record.state, state)) record.state = state;
  record.stage = stage_;
  if (of_ > 0) record.progress = {{"step", step_}, {"of", of_}};
  for (const auto& [phase, name] : {std::pair{"warmup", "warmup_ms"},
                                    {"guard", "guard_ms"},
                                    {"active", "step_ms"},
                                    {"after", "after_ms"}}) {
    if (const auto found = step_ms_.find(phase); found != step_ms_.end()) {
      record.window[name] = found->second;
    }
  }
  if (const auto first = step_ms_.find("first"); first != step_ms_.end()) {
    record.window["first_step_ms"] = first->second.front();
  }
  if (!outputs_.empty()) record.output = outputs_;
  if (!outputs_.empty() || !output_problems_.empty()) show_output_check(record);
  for (const auto& [name, proof] : evidence_) record.evidence[name] = proof;
  for (const auto& [stage, ms] : timings_ms_) record.timings_ms[stage] = ms;
  if (first_step_id_) record.observed["first_step_id"] = *first_step_id_;
  if (began_s_) record.observed["began_s"] = *began_s_;
  if (!notes_.empty()) record.observed["notes"] = notes_;
  if (record.state == RunState::captured || !is_final(record.state)) return;
  std::string code = error_.is_object() ? text_of(error_, "code", 60) : "";
  std::string message = error_.is_object() ? text_of(error_, "message") : "";
  if (!is_final(state_) && supervisor_gone_) {
    code = codes::runner_died;
    message = "the supervisor on the host is gone without having ended the run, in the stage " +
              stage_ + (message.empty() ? "" : "; before that: " + message);
  }
  if (code.empty() && record.state == RunState::timed_out) code = codes::timed_out;
  if (code.empty() && record.state == RunState::cancelled) code = codes::cancelled;
  if (code.empty()) code = codes::workload_failed;
  if (message.empty()) {
    message =
        "the run ended as " + std::string(to_string(record.state)) + " in the stage " + stage_;
  }
  auto remedy = error_.is_object() ? text_of(error_, "remedy") : "";
  if (remedy.empty()) remedy = remedy_of(code);
  Error error{.code = code,
              .message = message,
              .remedy = remedy,
              .who = who_can_mend(code),
              .retryable = code == codes::device_busy || code == codes::runner_died};
  error.details = {{"stage", stage_}};
  if (error_.is_object() && error_.contains("holder")) error.details["holder"] = error_["holder"];
  record.error = error;
}

}  // namespace npuprof::run
