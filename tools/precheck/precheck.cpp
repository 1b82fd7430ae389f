#include "precheck/precheck.hpp"

#include "core/error_codes.hpp"
#include "precheck/checks.hpp"
#include "precheck/found_versions.hpp"
#include "precheck/reach_checks.hpp"

namespace npuprof::precheck {
namespace {

using std::chrono::steady_clock;

void append(std::vector<Check>& to, std::vector<Check> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::chrono::milliseconds since(steady_clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
}

// Every check that has not been made yet, as skipped.
void skip_the_rest(std::vector<Check>& checks, const std::string& why) {
  for (const auto& id : check_ids()) {
    const bool there = std::any_of(checks.begin(), checks.end(),
                                   [&](const Check& check) { return check.id == id; });
    if (!there) checks.push_back(skipped(id, why));
  }
}

Json no_inference(const std::string& reason) {
  return {{"ran", false}, {"reason", reason}};
}

// What a run would stop with: the first check that failed, or, where only leases are in the way,
// DEVICE_BUSY with the holder.
std::optional<Error> error_of(const PrecheckReport& report) {
  std::vector<const Check*> failed;
  for (const auto& check : report.checks) {
    if (check.status == CheckStatus::fail) failed.push_back(&check);
  }
  if (failed.empty()) return std::nullopt;
  const auto* first = failed[0]->id == "occupancy" && failed.size() > 1 ? failed[1] : failed[0];
  const auto leased =
      std::find_if(report.devices.begin(), report.devices.end(), [](const Device& device) {
        return device.state == DeviceState::busy && !device.leased_by.empty();
      });
  const bool only_leased = first->id == "occupancy" && leased != report.devices.end();
  const auto more = failed.size() - 1;
  return Error{.code = only_leased ? codes::device_busy : codes::precheck_failed,
               .message = "precheck " + first->id + ": " + first->message +
                          (more > 0 ? " (and " + std::to_string(more) + " more failed)" : "") +
                          "; no workload was started",
               .remedy = first->remedy,
               .who = first->who,
               .retryable = first->id == "occupancy",
               .details = only_leased ? Json{{"check", first->id}, {"holder", leased->leased_by}}
                                      : Json{{"check", first->id}}};
}

Check probe_check(const ascend::HostFacts& facts) {
  if (facts.complete) return passed("probe", "the host was looked at");
  return failed("probe",
                "the look at the host did not end in time: what is not told here is unknown",
                {{"reached", facts.reached}},
                "Something on the host hangs: a file system or the driver.", Who::administrator);
}

// The part of the probe that a check is read from.
std::string field_of(const std::string& check) {
  for (const auto* id : {"npu_smi", "device_access", "container_mounts", "device_map", "health"}) {
    if (check == id) return "devices";
  }
  for (const auto* id : {"visible_devices", "driver", "firmware", "cann", "driver_cann", "msprof",
                         "profiler_env", "set_env"}) {
    if (check == id) return "software";
  }
  for (const auto* id :
       {"workspace", "workspace_path", "disk", "shared_memory", "other_profiler"}) {
    if (check == id) return "place";
  }
  if (check == "user") return "system";
  if (check == "clock") return "clock";
  return "python";  // and with it the leases, which Python tries
}

// What a probe that broke off did not reach is unknown, whatever its absence looks like.
void tell_missing_parts(PrecheckReport& report, std::size_t first_check,
                        const ascend::HostFacts& facts) {
  if (facts.complete) return;
  const auto reached = [&](const std::string& field) {
    return std::find(facts.reached.begin(), facts.reached.end(), field) != facts.reached.end();
  };
  for (auto i = first_check; i < report.checks.size(); ++i) {
    auto& check = report.checks[i];
    if (!reached(field_of(check.id))) {
      check = unknown(check.id, "not reached: the look at the host broke off");
    }
  }
  for (auto& device : report.devices) {
    if (device.state == DeviceState::free) {
      device.state = DeviceState::unknown;
      device.reason += "; whether a run holds it is not known";
    }
  }
  report.recommended_device_ids.clear();
  report.recommendation = "none: the look at the host broke off";
}

}  // namespace

PrecheckReport unreachable(const Target& target, const Error& error) {
  PrecheckReport report;
  report.target = target.name;
  report.error = error;
  report.checks = not_reached(target, error);
  report.recommendation = "the target could not be reached";
  report.inference = no_inference("the target could not be reached");
  skip_the_rest(report.checks, "not looked at: the target could not be reached");
  return report;
}

PrecheckReport run_precheck(Host& host, const Target& target, const Options& options,
                            const std::stop_token& stop) {
  const auto begin = steady_clock::now();
  auto facts = ascend::probe(host, target, stop,
                             {.import_torch_npu = options.level == Level::full,
                              .timeout = std::min(options.timeout, std::chrono::seconds(120))});
  if (!facts) {
    auto report = unreachable(target, facts.error());
    report.elapsed = since(begin);
    return report;
  }
  PrecheckReport report;
  report.target = target.name;
  report.simulated = facts->simulated;
  auto table = ascend::parse_info(facts->info.text);
  const auto rows = ascend::parse_map(facts->map.text);
  const auto cann = find_cann(*facts);
  report.versions = find_versions(*facts, table, cann);
  auto map = map_devices(*facts, table, rows);
  for (auto& device : map.devices) judge(device, *facts);
  const auto recommendation = recommend(map.devices);
  report.recommended_device_ids =
      map.certain || map.devices.size() == 1 ? recommendation.device_ids : std::vector<int>{};
  report.recommendation =
      map.certain || map.devices.size() == 1 ? recommendation.reason : "none: " + map.note;
  report.hazards = ascend::hazards_for(report.versions);

  const Findings findings{target, options,         *facts,       std::move(table),
                          map,    report.versions, cann.version, cann.path};
  report.checks = reached(target);
  report.checks.push_back(probe_check(*facts));
  const auto first_check = report.checks.size();
  append(report.checks, device_checks(findings));
  append(report.checks, software_checks(findings));
  append(report.checks, python_checks(findings));
  append(report.checks, place_checks(findings));
  report.devices = std::move(map.devices);
  tell_missing_parts(report, first_check, *facts);
  report.inference = no_inference("no workload was named");
  report.checks.push_back(skipped("inference", "no workload was named"));
  for (const auto& script : facts->set_env) {
    if (script.sourced) report.set_env.push_back(script.path);
  }
  report.error = error_of(report);
  report.ok = !report.error;
  report.facts = *std::move(facts);
  report.elapsed = since(begin);
  return report;
}

}  // namespace npuprof::precheck
