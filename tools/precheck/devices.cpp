#include "precheck/devices.hpp"

#include <algorithm>
#include <set>

#include "ascend/table_text.hpp"

namespace npuprof::precheck {
namespace {

using ascend::Chip;
using ascend::ProcessView;

constexpr int busy_percent = 5;

std::optional<std::int64_t> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return ascend::whole_number(text.substr(prefix.size()));
}

// The number in /dev/davinci<N> that a chip has on the host.
std::int64_t host_number(const Device& device) {
  return device.logic_id.value_or(device.phy_id.value_or(device.chip.npu_id));
}

std::string key_of(const Chip& chip, const std::string& generation) {
  if (chip.bus_id.empty()) {
    return "npu" + std::to_string(chip.npu_id) + "_chip" + std::to_string(chip.chip_id);
  }
  auto key = ascend::lease_key(chip.bus_id);
  // The chips of one 310P card share its bus id.
  if (generation == "310P") key += "_chip" + std::to_string(chip.chip_id);
  return key;
}

Device device_of(const Chip& chip, const std::vector<ascend::MapRow>& rows) {
  Device device;
  device.chip = chip;
  device.logic_id = chip.logic_id;
  device.phy_id = chip.phy_id;
  for (const auto& row : rows) {
    if (row.npu_id != chip.npu_id || row.chip_id != chip.chip_id) continue;
    if (row.logic_id) device.logic_id = row.logic_id;
    if (row.phy_id) device.phy_id = row.phy_id;
  }
  device.generation = ascend::generation(chip);
  device.lease_key = key_of(chip, device.generation);
  return device;
}

void sort_as_torch_counts(std::vector<Device>& devices) {
  const bool logic = std::all_of(devices.begin(), devices.end(),
                                 [](const Device& device) { return device.logic_id.has_value(); });
  const bool phy = std::all_of(devices.begin(), devices.end(),
                               [](const Device& device) { return device.phy_id.has_value(); });
  std::stable_sort(devices.begin(), devices.end(), [&](const Device& a, const Device& b) {
    if (logic) return *a.logic_id < *b.logic_id;
    if (phy) return *a.phy_id < *b.phy_id;
    return std::pair(a.chip.npu_id, a.chip.chip_id) < std::pair(b.chip.npu_id, b.chip.chip_id);
  });
}

// A container that shows the whole host's table but was given some devices only: those whose node
// is there. Left as they are where the nodes don't tell (renumbered, or as many as chips).
void keep_those_with_nodes(std::vector<Device>& devices,
                           const std::vector<ascend::DeviceNode>& nodes) {
  std::set<std::int64_t> numbers;
  for (const auto& node : nodes) {
    if (const auto number = number_after(node.name, "davinci")) numbers.insert(*number);
  }
  if (numbers.empty() || numbers.size() >= devices.size()) return;
  const auto has_node = [&](const Device& device) { return numbers.contains(host_number(device)); };
  const auto kept = std::count_if(devices.begin(), devices.end(), has_node);
  if (static_cast<std::size_t>(kept) != numbers.size()) return;
  std::erase_if(devices, [&](const Device& device) { return !has_node(device); });
}

// Devices that torch counts where no table could be read.
std::vector<Device> nameless(int count) {
  std::vector<Device> devices;
  for (int i = 0; i < count && i < 64; ++i) {
    Device device;
    device.device_id = i;
    device.generation = "unknown";
    device.lease_key = "index_" + std::to_string(i);
    devices.push_back(std::move(device));
  }
  return devices;
}

std::string in_mb(std::int64_t mb) {
  return std::to_string(mb) + " MB";
}

void set(Device& device, DeviceState state, std::string reason) {
  device.state = state;
  device.reason = std::move(reason);
}

bool hides_processes(const ascend::HostFacts& facts) {
  return !facts.container.empty();
}

std::string process_words(const Chip& chip) {
  const auto& first = chip.processes.front();
  auto words =
      std::to_string(chip.processes.size()) +
      (chip.process_view == ProcessView::maybe_cut ? " or more processes" : " process(es)") +
      ", pid " + std::to_string(first.pid);
  if (!first.name.empty()) words += " (" + first.name + ")";
  return words;
}

}  // namespace

std::string_view to_string(DeviceState state) {
  switch (state) {
    case DeviceState::free:
      return "free";
    case DeviceState::busy:
      return "busy";
    case DeviceState::unhealthy:
      return "unhealthy";
    case DeviceState::unknown:
      break;
  }
  return "unknown";
}

VisibleDevices visible_devices(const std::string& value, int count) {
  VisibleDevices seen;
  std::size_t at = 0;
  while (at <= value.size()) {
    const auto end = std::min(value.find(',', at), value.size());
    const auto word = std::string_view(value).substr(at, end - at);
    // The runtime reads digits and stops the whole list at anything else.
    const auto digits = word.substr(0, std::min(word.find_first_not_of("0123456789"), word.size()));
    const auto id = ascend::whole_number(digits);
    if (!id || *id >= count) {
      seen.trap = "the list ends before \"" + std::string(word.substr(0, 40)) +
                  "\", which is no id of a device here";
      break;
    }
    if (std::find(seen.ids.begin(), seen.ids.end(), static_cast<int>(*id)) != seen.ids.end()) {
      seen.trap = "device " + std::string(digits) + " is listed twice (EE2002)";
      seen.ids.clear();
      break;
    }
    if (!seen.ids.empty() && seen.ids.back() > *id) {
      seen.trap = "the ids are not in ascending order: no device is seen";
      seen.ids.clear();
      break;
    }
    seen.ids.push_back(static_cast<int>(*id));
    if (digits.size() != word.size()) {
      seen.trap = "the list ends behind \"" + std::string(digits) + "\": \"" +
                  std::string(word.substr(0, 40)) + "\" is no id";
      break;
    }
    at = end + 1;
  }
  return seen;
}

DeviceMap map_devices(const ascend::HostFacts& facts, const ascend::InfoTable& table,
                      const std::vector<ascend::MapRow>& rows) {
  DeviceMap map;
  for (const auto& chip : table.chips) map.devices.push_back(device_of(chip, rows));
  sort_as_torch_counts(map.devices);
  keep_those_with_nodes(map.devices, facts.nodes);
  if (const auto listed = facts.env.find("ASCEND_RT_VISIBLE_DEVICES"); listed != facts.env.end()) {
    const auto seen = visible_devices(listed->second, static_cast<int>(map.devices.size()));
    std::vector<Device> chosen;
    for (const int id : seen.ids) chosen.push_back(map.devices[static_cast<std::size_t>(id)]);
    map.devices = std::move(chosen);
    map.note =
        "ASCEND_RT_VISIBLE_DEVICES=" + listed->second.substr(0, 80) + " renumbers the devices";
  }
  const auto& counted = facts.python.device_count;
  if (map.devices.empty() && counted.value_or(0) > 0) {
    map.devices = nameless(*counted);
    map.certain = false;
    map.note = "torch counts " + std::to_string(*counted) +
               " device(s), but no device table could be read to tell which they are";
  } else if (counted && *counted != static_cast<int>(map.devices.size())) {
    map.certain = false;
    map.note = "npu-smi shows " + std::to_string(map.devices.size()) + " device(s), torch counts " +
               std::to_string(*counted) + ": which index is which device can't be told";
    if (*counted < static_cast<int>(map.devices.size())) {
      map.devices.resize(static_cast<std::size_t>(std::max(0, *counted)));
    }
  } else if (!table.complete && !map.devices.empty()) {
    map.certain = counted.has_value();
    map.note = "the device table could not be read whole";
  }
  for (std::size_t i = 0; i < map.devices.size(); ++i) {
    map.devices[i].device_id = static_cast<int>(i);
  }
  return map;
}

void judge(Device& device, const ascend::HostFacts& facts) {
  const auto& chip = device.chip;
  for (const auto& lease : facts.leases) {
    if (lease.name != device.lease_key || lease.locked == false || lease.holder.empty()) continue;
    const auto holder = Json::parse(lease.holder, nullptr, false);
    const bool named =
        holder.is_object() && holder.contains("run_id") && holder["run_id"].is_string();
    device.leased_by = named ? holder["run_id"].get<std::string>().substr(0, 200) : "unknown";
    if (lease.locked == true) {
      return set(device, DeviceState::busy, "leased by run " + device.leased_by);
    }
  }
  if (chip.health.empty()) {
    return set(device, DeviceState::unknown, "no device table could be read");
  }
  if (chip.health != "OK" && chip.health != "Warning") {
    return set(device, DeviceState::unhealthy, "health is " + chip.health);
  }
  const auto idle = ascend::idle_memory_mb(device.generation);
  if (!chip.processes.empty()) {
    return set(device, DeviceState::busy, process_words(chip));
  }
  if (chip.memory_used_mb && *chip.memory_used_mb > idle) {
    std::string reason = in_mb(*chip.memory_used_mb) + " in use, more than an idle device holds (" +
                         in_mb(idle) + ")";
    if (chip.process_view != ProcessView::none || hides_processes(facts)) {
      reason += "; who holds it is not shown here";
    }
    return set(device, DeviceState::busy, reason);
  }
  if (chip.utilisation_percent.value_or(0) > busy_percent) {
    return set(device, DeviceState::busy,
               "its cores are at work: " + std::to_string(*chip.utilisation_percent) + " %");
  }
  if (!chip.memory_used_mb) {
    return set(device, DeviceState::unknown, "its memory in use could not be read");
  }
  if (chip.process_view == ProcessView::unseen) {
    return set(device, DeviceState::unknown,
               "memory is at the idle level (" + in_mb(*chip.memory_used_mb) +
                   "), but the driver lists no processes");
  }
  if (!device.leased_by.empty()) {
    return set(device, DeviceState::unknown,
               "run " + device.leased_by + " may hold its lease; that could not be tried");
  }
  set(device, DeviceState::free,
      "no process, " + in_mb(*chip.memory_used_mb) + " in use (idle level)");
}

Recommendation recommend(const std::vector<Device>& devices) {
  const auto rank = [](const Device& device) {
    return std::tuple(device.state != DeviceState::free, device.chip.health != "OK",
                      device.chip.memory_used_mb.value_or(INT64_MAX),
                      device.chip.utilisation_percent.value_or(100), device.device_id);
  };
  std::vector<const Device*> suitable;
  for (const auto& device : devices) {
    const bool idle_looking = device.state == DeviceState::unknown && device.leased_by.empty() &&
                              device.chip.memory_used_mb.has_value() && !device.chip.health.empty();
    if (device.state == DeviceState::free || idle_looking) suitable.push_back(&device);
  }
  std::sort(suitable.begin(), suitable.end(),
            [&](const Device* a, const Device* b) { return rank(*a) < rank(*b); });
  Recommendation recommendation;
  for (const auto* device : suitable) recommendation.device_ids.push_back(device->device_id);
  if (devices.empty()) {
    recommendation.reason = "no device is seen";
  } else if (suitable.empty()) {
    recommendation.reason = "none: device " + std::to_string(devices[0].device_id) + " is " +
                            std::string(to_string(devices[0].state)) + " (" + devices[0].reason +
                            ")" + (devices.size() > 1 ? ", and so on" : "");
  } else {
    recommendation.reason =
        "device " + std::to_string(suitable[0]->device_id) +
        " first: " + std::string(to_string(suitable[0]->state)) + ", " + suitable[0]->reason +
        (suitable[0]->chip.health == "OK" ? "" : "; its health is " + suitable[0]->chip.health);
  }
  return recommendation;
}

}  // namespace npuprof::precheck
