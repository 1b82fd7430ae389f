#include "run/adopt.hpp"

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "core/schema.hpp"
#include "run/host_python.hpp"
#include "run/job.hpp"
#include "run/run_id.hpp"
#include "run/workload_facts.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::run {
namespace {

constexpr std::size_t largest_job = 4u << 20;

// The arguments that a job was made from, as far as it tells them.
Json arguments_of(const Json& job, const Target& target) {
  Json arguments = {{"target", target.name},
                    {"backend", job["backend"]},
                    {"compile", job["compile"]},
                    {"nproc_per_node", job["nproc_per_node"]},
                    {"ranks", job["ranks"]},
                    {"timeout_s", job["timeout_s"]},
                    {"export_timeout_s", job["export_timeout_s"]},
                    {"wait_for_device_s", 0},
                    {"fetch", true},
                    {"files", "all"},
                    {"archive", true}};
  arguments.update(job["window"]);
  arguments.update(job["profiler"]);
  for (const char* name : {"script", "args", "entry", "params", "hook", "service"}) {
    if (job["workload"].contains(name)) arguments[name] = job["workload"][name];
  }
  return arguments;
}

}  // namespace

Result<Record> read_orphan(Host& host, const Target& target, const std::string& run_id,
                           const std::stop_token& stop) {
  const auto unknown = [&](const std::string& why) {
    return fail({.code = codes::run_unknown,
                 .message = "no run has the id " + clean_host_text(run_id, 200) +
                            " here, nor on target " + target.name + ": " + why,
                 .remedy = "Call fetch_artifact without arguments to list the latest runs.",
                 .who = Who::agent});
  };
  if (!is_run_id(run_id)) return unknown("that is no run's id");
  auto workspace = resolve_workspace(host, target, stop);
  if (!workspace) return fail(workspace.error());
  const auto directory = run_directory(*workspace, run_id);
  auto text = host.read_file(directory + "/job.json", largest_job);
  if (!text) {
    if (text.error().code == codes::not_found) return unknown("its directory is not there");
    return fail(text.error());
  }
  const auto job = Json::parse(*text, nullptr, false);
  static const Schema schema = Schema::of(schemas::load("job"));
  if (!schema.violations(job).empty() || job["run_id"] != run_id) {
    return unknown("its job.json is broken, or of another npuprof");
  }
  Record record;
  record.run_id = run_id;
  record.target = target.name;
  record.workspace = *workspace;
  record.remote_dir = directory;
  record.arguments = arguments_of(job, target);
  record.asked = record.arguments;
  record.state = RunState::running;
  record.stage = "follow";
  record.started = true;
  record.simulated = is_simulated(host, target, stop);
  record.window = job["window"];
  record.workload = {{"way", job["workload"]["way"]}};
  for (const char* name : {"script", "entry", "hook", "args"}) {
    if (job["workload"].contains(name)) record.workload[name] = job["workload"][name];
  }
  for (const auto& id : job["device_ids"]) record.devices.push_back({{"device_id", id}});
  record.launch = {{"job", job}, {"set_env", Json::array()}};
  return record;
}

Result<std::vector<std::string>> runs_on_host(Host& host, const Target& target,
                                              const std::stop_token& stop) {
  auto workspace = resolve_workspace(host, target, stop);
  if (!workspace) return fail(workspace.error());
  auto entries = host.list_directory(runs_directory(*workspace));
  std::vector<std::string> ids;
  if (!entries) {
    if (entries.error().code == codes::not_found) return ids;
    return fail(entries.error());
  }
  for (const auto& entry : *entries) {
    if (entry.info.type == FileType::directory && is_run_id(entry.name)) ids.push_back(entry.name);
  }
  return ids;
}

}  // namespace npuprof::run
