#include <algorithm>

#include "core/host_text.hpp"
#include "precheck/precheck.hpp"
#include "precheck/report_text.hpp"

namespace npuprof::precheck {
namespace {

constexpr std::size_t most_devices = 32;
constexpr std::size_t most_detailed = 16;  // with processes, so that a result stays small

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string shown(std::string_view text, std::size_t limit = 200) {
  return clean_host_text(text, limit);
}

Json host_json(const PrecheckReport& report) {
  if (!report.facts) return nullptr;
  const auto& facts = *report.facts;
  Json host = {{"hostname", facts.hostname},
               {"os", facts.os},
               {"kernel", facts.kernel},
               {"arch", facts.arch},
               {"user", facts.user.empty() ? std::to_string(facts.uid) : facts.user},
               {"container", facts.container.empty() ? Json(nullptr) : Json(facts.container)},
               {"python", shown(facts.python.path)},
               {"set_env", report.set_env}};
  if (facts.simulated) host["simulated_root"] = shown(facts.root);
  return host;
}

Json versions_json(const ascend::Versions& versions) {
  Json out = Json::object();
  Json sources = Json::object();
  const auto add = [&](const char* name, const ascend::FoundVersion& version) {
    out[name] = version.value.empty() ? Json(nullptr) : Json(shown(version.value, 80));
    if (!version.value.empty()) sources[name] = shown(version.source);
  };
  add("driver", versions.driver);
  add("firmware", versions.firmware);
  add("cann", versions.cann);
  add("python", versions.python);
  add("torch", versions.torch);
  add("torch_npu", versions.torch_npu);
  add("torch_npu_release", versions.torch_npu_release);
  out["sources"] = std::move(sources);
  return out;
}

// null where they can't be seen
Json processes_json(const ascend::Chip& chip) {
  if (chip.process_view == ascend::ProcessView::unseen) return nullptr;
  Json list = Json::array();
  for (const auto& process : chip.processes) {
    Json one = {
        {"pid", process.pid}, {"name", process.name}, {"hbm_mb", or_null(process.memory_mb)}};
    if (process.container_pid) one["container_pid"] = *process.container_pid;
    list.push_back(std::move(one));
  }
  return list;
}

Json device_json(const Device& device, bool detailed) {
  const auto& chip = device.chip;
  const bool seen = !chip.health.empty();
  Json out = {{"device_id", device.device_id},
              {"state", to_string(device.state)},
              {"reason", device.reason},
              {"bus_id", chip.bus_id.empty() ? Json(nullptr) : Json(chip.bus_id)},
              {"name", chip.name},
              {"generation", device.generation},
              {"health", seen ? Json(chip.health) : Json(nullptr)},
              {"hbm_used_mb", or_null(chip.memory_used_mb)},
              {"hbm_total_mb", or_null(chip.memory_total_mb)},
              {"aicore_percent", or_null(chip.utilisation_percent)}};
  if (!device.leased_by.empty()) out["leased_by"] = shown(device.leased_by);
  if (!detailed) return out;
  out["logic_id"] = or_null(device.logic_id);
  out["phy_id"] = or_null(device.phy_id);
  out["npu_id"] = seen ? Json(chip.npu_id) : Json(nullptr);
  out["chip_id"] = seen ? Json(chip.chip_id) : Json(nullptr);
  out["temperature_c"] = or_null(chip.temperature_c);
  out["power_w"] = or_null(chip.power_w);
  out["processes"] = processes_json(chip);
  if (chip.process_view == ascend::ProcessView::maybe_cut) out["processes_maybe_cut"] = true;
  return out;
}

}  // namespace

void to_json(Json& out, const Device& device) {
  out = device_json(device, true);
}

void to_json(Json& out, const PrecheckReport& report) {
  out = {{"ok", report.ok},
         {"target", report.target},
         {"simulated", report.simulated},
         {"recommended_device_ids", report.recommended_device_ids},
         {"recommendation", report.recommendation},
         {"checks", report.checks},
         {"inference", report.inference},
         {"elapsed_ms", report.elapsed.count()}};
  if (report.facts) out["host"] = host_json(report);
  out["versions"] = versions_json(report.versions);
  Json devices = Json::array();
  for (const auto& device : report.devices) {
    if (devices.size() < most_devices) {
      devices.push_back(device_json(device, devices.size() < most_detailed));
    }
  }
  out["devices"] = std::move(devices);
  if (report.devices.size() > most_devices) {
    out["devices_left_out"] = report.devices.size() - most_devices;
  }
  if (report.error) out["error"] = *report.error;
}

std::string report_text(const PrecheckReport& report) {
  std::vector<std::string> lines;
  std::size_t passed = 0;
  std::vector<const Check*> open;
  for (const auto status : {CheckStatus::fail, CheckStatus::warn, CheckStatus::unknown}) {
    for (const auto& check : report.checks) {
      if (check.status == status) open.push_back(&check);
    }
  }
  for (const auto& check : report.checks) passed += check.status == CheckStatus::pass ? 1 : 0;
  lines.push_back("precheck of " + report.target + ": " + (report.ok ? "ok" : "not ok") + " (" +
                  std::to_string(passed) + " checks passed, " + std::to_string(open.size()) +
                  " did not)" + (report.simulated ? " - the host is SIMULATED" : ""));
  const auto version = [&](const char* name, const ascend::FoundVersion& one) {
    return std::string(name) + " " + (one.value.empty() ? "unknown" : shown(one.value, 60));
  };
  if (report.facts) {
    lines.push_back(report.facts->hostname + ", " + report.facts->os + ", " + report.facts->arch +
                    "; " + version("driver", report.versions.driver) + ", " +
                    version("CANN", report.versions.cann) + ", " +
                    version("torch", report.versions.torch) + ", " +
                    version("torch_npu", report.versions.torch_npu));
  }
  for (const auto& device : report.devices) {
    if (lines.size() >= 18) {
      lines.push_back("... and more devices: see devices");
      break;
    }
    lines.push_back("device " + std::to_string(device.device_id) + ": " + device.chip.name + " " +
                    (device.chip.bus_id.empty() ? "(bus id not told)" : device.chip.bus_id) + ", " +
                    std::string(to_string(device.state)) + ": " + device.reason);
  }
  lines.push_back("recommended: " + report.recommendation);
  for (const auto* check : open) {
    if (lines.size() >= 38) {
      lines.push_back("... and more: see checks");
      break;
    }
    lines.push_back(
        std::string(to_string(check->status)) + " " + check->id + ": " + check->message +
        (check->remedy.empty()
             ? ""
             : " -> " + check->remedy + " (" + std::string(to_string(check->who)) + ")"));
  }
  std::string text;
  for (auto& line : lines) {
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + "\n";
  }
  return text;
}

}  // namespace npuprof::precheck
