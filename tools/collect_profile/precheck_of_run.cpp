#include "collect_profile/precheck_of_run.hpp"

#include "core/error_codes.hpp"
#include "precheck/precheck.hpp"

namespace npuprof::collect_profile {
namespace {

// True where a run does what a hazard is about.
bool concerns(const std::vector<std::string>& applies_to, const Json& arguments) {
  const bool many = arguments["nproc_per_node"].get<int>() > 1;
  return std::all_of(applies_to.begin(), applies_to.end(), [&](const std::string& word) {
    if (word == "always") return true;
    if (word == "multi_process") return many || arguments.contains("service");
    if (word == "multi_rank" || word == "multi_device") return many;
    return arguments.contains(word) && arguments[word] == true;
  });
}

std::vector<run::Override> overrides_of(const precheck::PrecheckReport& report,
                                        const Json& arguments) {
  std::vector<run::Override> overrides;
  for (const auto& found : report.hazards) {
    if (found.hazard.settings.empty() || !concerns(found.hazard.applies_to, arguments)) continue;
    overrides.push_back({.settings = found.hazard.settings,
                         .why = found.hazard.title + " " + found.hazard.workaround +
                                (found.certain ? "" : " (The version could not be told.)")});
  }
  return overrides;
}

std::vector<run::FoundDevice> devices_of(const precheck::PrecheckReport& report) {
  std::vector<run::FoundDevice> devices;
  for (const auto& device : report.devices) {
    devices.push_back({.device_id = device.device_id,
                       .lease_key = device.lease_key,
                       .free = device.state == precheck::DeviceState::free,
                       .leased_by = device.leased_by,
                       .facts = device});
  }
  return devices;
}

// What stops a run on the CPU: the host's Python and workspace, not its devices.
bool matters_on_cpu(const Check& check) {
  return check.id.starts_with("workspace") || check.id.starts_with("disk") ||
         check.id == "python" || check.id == "connection" || check.id == "login";
}

std::optional<Error> cpu_error(const precheck::PrecheckReport& report) {
  for (const auto& check : report.checks) {
    if (check.status != CheckStatus::fail || !matters_on_cpu(check)) continue;
    return Error{.code = codes::precheck_failed,
                 .message = "nothing was run: " + check.id + ": " + check.message,
                 .remedy = check.remedy,
                 .who = check.who};
  }
  return std::nullopt;
}

}  // namespace

run::PrecheckOutcome precheck_of_run(Host& host, const run::Request& request,
                                     const std::stop_token& stop) {
  const auto& arguments = request.arguments;
  const auto asked = arguments["precheck"].get<std::string>();
  const bool on_cpu = arguments["backend"] == "cpu";
  precheck::Options options;
  options.level = asked == "full" && !on_cpu ? precheck::Level::full : precheck::Level::quick;
  if (arguments.contains("device_ids")) {
    options.device_ids = arguments["device_ids"].get<std::vector<int>>();
  }
  const auto report = precheck::run_precheck(host, *request.target, options, stop);
  const Json document = report;
  run::PrecheckOutcome outcome;
  outcome.simulated = report.simulated;
  outcome.versions = document.value("versions", Json::object());
  outcome.devices = devices_of(report);
  outcome.recommended = report.recommended_device_ids;
  outcome.set_env = report.set_env;
  if (!on_cpu) outcome.overrides = overrides_of(report, arguments);
  for (const auto& check : report.checks) {
    if (!on_cpu || matters_on_cpu(check)) outcome.checks.push_back(check);
  }
  if (!report.facts) {
    outcome.error = report.error;
  } else if (on_cpu) {
    outcome.error = cpu_error(report);
  } else if (asked != "skip" && report.error) {
    const bool may_wait =
        report.error->code == codes::device_busy && arguments["wait_for_device_s"].get<int>() > 0;
    if (!may_wait) outcome.error = report.error;
  }
  return outcome;
}

}  // namespace npuprof::collect_profile
