#include "run/inference.hpp"

#include "core/error_codes.hpp"
#include "run/launch.hpp"
#include "run/observed_run.hpp"
#include "run/run_id.hpp"
#include "schemas/schemas.hpp"
#include "transfer/remote_cleanup.hpp"

namespace npuprof::run {
namespace {

using namespace std::chrono_literals;

constexpr int most_processes = 1;

// What of precheck's arguments collect_profile knows as well: the workload.
Json workload_arguments(const Json& arguments, const std::string& target) {
  static const Json known = schemas::load("collect_profile_input")["properties"];
  Json taken = Json::object();
  for (const auto& [name, value] : arguments.items()) {
    if (known.contains(name) && name != "device_ids" && name != "precheck") taken[name] = value;
  }
  taken["target"] = target;
  taken["nproc_per_node"] = most_processes;
  return taken;
}

Json not_run(const std::string& reason) {
  return {{"ran", false}, {"reason", reason}};
}

// Follows the step to its end, or ends it.
bool follow(RunParts& parts, const Target& target, const WorkloadFacts& facts,
            const std::string& run_id, ObservedRun& observed, CallContext& context) {
  auto news_of = parts.follower(target, runs_directory(facts.workspace)).follow(run_id, 1);
  bool missing = false;
  while (!observed.end() && !missing && !context.stop.stop_requested()) {
    for (const auto& news : news_of->wait(parts.clock.steady() + 1s, context.stop)) {
      if (news.kind == News::Kind::event) observed.add_event(news.body);
      if (news.kind == News::Kind::status) observed.add_status(news.body, news.alive);
      if (news.kind == News::Kind::missing) missing = true;
    }
  }
  return observed.end().has_value();
}

Json report(const ObservedRun& observed) {
  Record record;
  record.arguments = {{"backend", "npu"}};
  observed.show(record);
  // A workload that was started and failed has run, even where no step of it ended; only one that
  // got no device has not.
  const bool no_device =
      record.error.is_object() && record.error.value("code", "") == codes::device_busy;
  Json result = {{"ran", observed.step_ms().contains("first") || !no_device}, {"steps", 0}};
  if (const auto first = observed.step_ms().find("first"); first != observed.step_ms().end()) {
    result["steps"] = first->second.size();
    result["duration_ms"] = first->second.front();
  }
  result["outputs"] = record.output;
  if (observed.peak_memory_mb()) result["peak_memory_mb"] = *observed.peak_memory_mb();
  result["problems"] = observed.output_problems();
  result["ok"] = record.state == RunState::captured && observed.output_problems().empty() &&
                 result["ran"].get<bool>();
  if (result["ok"] == true) return result;
  std::string reason;
  for (const auto& problem : observed.output_problems()) {
    reason += (reason.empty() ? "" : "; ") + problem;
  }
  if (record.error.is_object()) reason = record.error.value("message", reason);
  result["reason"] = reason.empty() ? "the step gave no output that could be looked at" : reason;
  return result;
}

}  // namespace

Result<Json> run_inference(RunParts& parts, const InferenceRequest& asked, CallContext& context) {
  const auto& target = *asked.target;
  auto request = read_request(workload_arguments(asked.arguments, target.name), parts.config);
  if (!request) return fail(request.error());
  if (request->way == "script") {
    return not_run(
        "a script that profiles itself can't be run for one step; name the workload by "
        "entry to have its output looked at");
  }
  auto host = parts.host_of(target);
  if (!host) return fail(host.error());
  auto facts = look_at_workload(**host, *request, context.stop);
  if (!facts) return fail(facts.error());
  std::vector<JobDevice> devices = asked.devices;
  if (request->arguments["backend"] == "cpu") devices.clear();
  const auto run_id = make_run_id(target.name, parts.clock.system());
  const auto job =
      make_job(*request, *facts, devices, run_id, Purpose::inference, parts.clock.system());
  if (auto launched = launch(**host, target, {.job = job, .set_env = asked.set_env}, {});
      !launched) {
    return fail(launched.error());
  }
  ObservedRun observed(0);
  const bool ended = follow(parts, target, *facts, run_id, observed, context);
  if (!ended) (void)cancel_on_host(**host, target, job["run_dir"], {});
  (void)transfer::remove_remote(**host, facts->workspace, run_id, {});
  if (ended) return report(observed);
  return fail({.code = codes::cancelled,
               .message = "the inference step was broken off and ended on the host"});
}

}  // namespace npuprof::run
