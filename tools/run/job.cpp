#include "run/job.hpp"

#include <stdexcept>

#include "core/schema.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::run {
namespace {

constexpr int log_limit_bytes = 8 << 20;

Json workload_of(const Request& request, const WorkloadFacts& facts) {
  const auto& arguments = request.arguments;
  Json workload = {{"way", request.way},
                   {"args", arguments.value("args", Json::array())},
                   {"params", arguments.value("params", Json::object())}};
  if (!facts.script.empty() && request.way != "entry") workload["script"] = facts.script;
  if (request.way == "entry") {
    const auto entry = arguments["entry"].get<std::string>();
    // The resolved file: a link that is moved after the check must not lead elsewhere.
    workload["entry"] =
        facts.script.empty() ? entry : facts.script + entry.substr(entry.rfind(':'));
  }
  for (const char* name : {"hook", "service", "profile_dir"}) {
    if (arguments.contains(name)) workload[name] = arguments[name];
  }
  return workload;
}

Json lease_of(const Request& request, const std::vector<JobDevice>& devices) {
  Json keys = Json::array();
  for (const auto& device : devices) {
    if (!device.lease_key.empty()) keys.push_back(device.lease_key);
  }
  if (keys.empty() || request.target->lease_dir.empty()) return nullptr;
  return {{"dir", request.target->lease_dir},
          {"keys", std::move(keys)},
          {"wait_s", request.arguments["wait_for_device_s"]}};
}

}  // namespace

std::string runs_directory(const std::string& workspace) {
  return (workspace == "/" ? "" : workspace) + "/.npuprof/runs";
}

std::string run_directory(const std::string& workspace, const std::string& run_id) {
  return runs_directory(workspace) + "/" + run_id;
}

Json make_job(const Request& request, const WorkloadFacts& facts,
              const std::vector<JobDevice>& devices, const std::string& run_id, Purpose purpose,
              Clock::System::time_point now) {
  const auto& arguments = request.arguments;
  const auto directory = run_directory(facts.workspace, run_id);
  Json device_ids = Json::array();
  for (const auto& device : devices) device_ids.push_back(device.device_id);
  Json profiler = Json::object();
  for (const char* name :
       {"level", "aic_metrics", "activities", "with_stack", "record_shapes", "profile_memory"}) {
    profiler[name] = arguments[name];
  }
  Json job = {{"format", 1},
              {"run_id", run_id},
              {"purpose", purpose == Purpose::collect ? "collect" : "inference"},
              {"created_at", to_iso8601(now)},
              {"workspace", facts.workspace},
              {"run_dir", directory},
              {"profile_dir", directory + "/profile_l1"},
              {"workload", workload_of(request, facts)},
              {"env", arguments.value("env", Json::object())},
              {"python", request.target->python},
              {"device_ids", std::move(device_ids)},
              {"backend", arguments["backend"]},
              {"compile", arguments["compile"]},
              {"nproc_per_node", arguments["nproc_per_node"]},
              {"ranks", arguments["ranks"]},
              {"window",
               {{"warmup_steps", arguments["warmup_steps"]},
                {"guard_steps", arguments["guard_steps"]},
                {"active_steps", arguments["active_steps"]}}},
              {"profiler", std::move(profiler)},
              {"timeout_s", arguments["timeout_s"]},
              {"export_timeout_s", arguments["export_timeout_s"]},
              {"lease", lease_of(request, devices)},
              {"log_limit_bytes", log_limit_bytes}};
  static const Schema schema = Schema::of(schemas::load("job"));
  if (const auto bad = schema.violations(job); !bad.empty()) {
    throw std::logic_error("a job that is none: " + bad.front().path + ": " + bad.front().message);
  }
  return job;
}

double longest_run_s(const Json& arguments) {
  return arguments["timeout_s"].get<double>() + arguments["export_timeout_s"].get<double>() +
         arguments["wait_for_device_s"].get<double>();
}

}  // namespace npuprof::run
