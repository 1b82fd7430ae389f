#include <algorithm>

#include "ascend/failure_texts.hpp"
#include "ascend/table_text.hpp"
#include "precheck/checks.hpp"

namespace npuprof::precheck {
namespace {

std::string device_nodes(const ascend::HostFacts& facts) {
  std::string names;
  for (const auto& node : facts.nodes) names += (names.empty() ? "" : " ") + node.name;
  return names.substr(0, 300);
}

bool is_device(const ascend::DeviceNode& node) {
  return node.name.size() > 7 && node.name.starts_with("davinci") && node.name[7] >= '0' &&
         node.name[7] <= '9';
}

bool has_devices(const ascend::HostFacts& facts) {
  return std::any_of(facts.nodes.begin(), facts.nodes.end(), is_device);
}

// What the device nodes and the PCI list say where npu-smi says nothing.
Json other_evidence(const ascend::HostFacts& facts) {
  Json evidence = {{"device_nodes", device_nodes(facts)}};
  if (facts.pci_seen) evidence["pci_19e5"] = facts.pci;
  return evidence;
}

std::string where_devices_are(const ascend::HostFacts& facts) {
  if (has_devices(facts)) return "; there are device nodes, so there is an NPU";
  if (!facts.pci.empty())
    return "; the PCI list shows an NPU, so the driver or the container hides it";
  if (facts.pci_seen) return "; there is no device node, and no NPU in the PCI list";
  return "; there is no device node";
}

Check npu_smi(const Findings& f) {
  const auto& facts = f.facts;
  const auto& info = facts.info;
  if (!info.ran) {
    auto evidence = other_evidence(facts);
    if (has_devices(facts) || !facts.pci.empty()) {
      return warned("npu_smi", "npu-smi is not found" + where_devices_are(facts), evidence,
                    "Put the directory of npu-smi (/usr/local/bin or /usr/local/sbin) into "
                    "path_prepend of the target, or mount it into the container.");
    }
    return failed("npu_smi", "npu-smi is not found" + where_devices_are(facts), evidence,
                  "Check that this is an Ascend host, and install the driver.", Who::administrator);
  }
  const auto known = ascend::known_failures("npu_smi", info.text);
  if (!f.table.chips.empty()) {
    Json evidence = {{"tool", f.table.tool_version},
                     {"driver", f.table.driver_version},
                     {"devices", f.table.chips.size()}};
    if (f.table.complete && f.table.notes.empty()) {
      return passed("npu_smi",
                    "npu-smi shows " + std::to_string(f.table.chips.size()) + " device(s)",
                    evidence);
    }
    evidence["notes"] = f.table.notes;
    if (!known.empty()) {
      return warned("npu_smi", known[0].message + "; its device table is used", evidence,
                    known[0].remedy, known[0].who);
    }
    return warned("npu_smi", "npu-smi's device table could not be read whole", evidence,
                  "Run `npu-smi info` on the target and compare; what is missing is unknown.");
  }
  auto evidence = other_evidence(facts);
  evidence["text"] = evidence_text(info.text);
  if (info.timed_out) {
    return failed("npu_smi", "npu-smi did not end in 20 s: the driver or a device hangs", evidence,
                  "Look at dmesg; reset the device or reboot the host.", Who::administrator);
  }
  if (known.empty()) {
    return unknown(
        "npu_smi",
        "npu-smi's answer holds no device table that is known" + where_devices_are(facts), evidence,
        "Run `npu-smi info` on the target and see what it says.");
  }
  // Compute may work where only npu-smi does not.
  const bool computes = facts.python.device_count.value_or(0) > 0;
  Check check{.id = "npu_smi",
              .status = computes ? CheckStatus::warn : known[0].status,
              .message = known[0].message + (computes ? "; torch sees its devices all the same"
                                                      : where_devices_are(facts)),
              .evidence = std::move(evidence),
              .remedy = known[0].remedy,
              .who = known[0].who};
  return check;
}

Check device_access(const Findings& f) {
  const auto& facts = f.facts;
  Json evidence = {{"device_nodes", device_nodes(facts)}, {"groups", facts.groups}};
  if (facts.nodes.empty()) {
    if (facts.python.device_count.value_or(0) > 0) {
      return unknown("device_access", "no device nodes are seen, but torch counts devices",
                     evidence);
    }
    const bool container = !facts.container.empty() || !f.target.container.empty();
    return failed("device_access", "there are no device nodes (/dev/davinci*)", evidence,
                  container ? "Start the container with --device for /dev/davinci<N>, "
                              "/dev/davinci_manager, /dev/devmm_svm and /dev/hisi_hdc."
                            : "Load the driver (see dmesg), or reboot after its installation.",
                  container ? Who::user : Who::administrator);
  }
  std::string missing;
  for (const auto* name : {"davinci_manager", "devmm_svm", "hisi_hdc"}) {
    const bool there = std::any_of(facts.nodes.begin(), facts.nodes.end(),
                                   [&](const auto& node) { return node.name == name; });
    if (!there) missing += std::string(missing.empty() ? "" : ", ") + "/dev/" + name;
  }
  if (!has_devices(facts)) missing += std::string(missing.empty() ? "" : ", ") + "/dev/davinci<N>";
  if (!missing.empty()) {
    return failed("device_access", "device nodes are missing: " + missing, evidence,
                  "Start the container with --device for each of them; on a host, load the driver.",
                  f.facts.container.empty() ? Who::administrator : Who::user);
  }
  for (const auto& node : facts.nodes) {
    if (node.usable) continue;
    const auto user = facts.user.empty() ? std::to_string(facts.uid) : facts.user;
    const bool in_group =
        std::find(facts.groups.begin(), facts.groups.end(), node.group) != facts.groups.end();
    evidence["node"] = {{"name", node.name}, {"owner", node.owner}, {"group", node.group}};
    return failed("device_access",
                  "user " + user + " may not open /dev/" + node.name +
                      (in_group ? "" : ": not in the group " + node.group),
                  evidence,
                  "`sudo usermod -aG " + node.group + " " + user +
                      "`, then log in again (an open SSH ControlMaster keeps the old groups).",
                  Who::administrator);
  }
  return passed("device_access", "this user may open the device nodes");
}

Check container_mounts(const Findings& f) {
  if (f.facts.container.empty() && f.target.container.empty()) {
    return skipped("container_mounts", "not in a container");
  }
  if (f.facts.mounts_missing.empty()) {
    return passed("container_mounts", "the driver's files are mounted into the container");
  }
  std::string missing;
  for (const auto& path : f.facts.mounts_missing) missing += (missing.empty() ? "" : ", ") + path;
  return warned("container_mounts", "the container lacks mounts: " + missing, nullptr,
                "Start it with -v for each of them; without, npu-smi fails (-8005, -9005) or "
                "devices can't be opened.");
}

bool is_asked(const Findings& f, const Device& device) {
  const auto& asked = f.options.device_ids;
  return asked.empty() || std::find(asked.begin(), asked.end(), device.device_id) != asked.end();
}

std::string listing(const std::vector<const Device*>& devices) {
  std::string text;
  for (const auto* device : devices) {
    text += (text.empty() ? "" : "; ") + std::string("device ") +
            std::to_string(device->device_id) + ": " + device->reason;
    if (text.size() > 300) return text.substr(0, 300) + " ...";
  }
  return text;
}

Check device_map(const Findings& f) {
  Json evidence = {{"devices", f.map.devices.size()}};
  if (f.facts.python.device_count) evidence["torch_device_count"] = *f.facts.python.device_count;
  for (const int id : f.options.device_ids) {
    if (id < 0 || id >= static_cast<int>(f.map.devices.size())) {
      if (f.map.devices.empty() && !f.facts.python.device_count) {
        return unknown("device_map", "whether device " + std::to_string(id) + " exists is unknown",
                       evidence);
      }
      return failed("device_map",
                    "there is no device " + std::to_string(id) + ": torch counts from 0 to " +
                        std::to_string(static_cast<int>(f.map.devices.size()) - 1) + " here",
                    evidence, "Take a device_id that precheck lists.", Who::agent);
    }
  }
  if (f.facts.python.device_count == 0) {
    return failed("device_map", "torch sees no device", evidence,
                  "See the checks device_access, container_mounts and visible_devices: another "
                  "container may hold the devices.");
  }
  if (f.map.devices.empty()) {
    return unknown("device_map", "no device is seen", evidence,
                   "See the checks npu_smi and device_access.");
  }
  if (!f.map.certain) {
    return unknown("device_map", f.map.note, evidence,
                   "Give the container whole devices only, and don't set "
                   "ASCEND_RT_VISIBLE_DEVICES.");
  }
  return passed("device_map",
                f.map.note.empty() ? "indices follow the driver's logic ids" : f.map.note);
}

Check health(const Findings& f) {
  std::vector<const Device*> bad;
  std::vector<const Device*> warning;
  std::size_t looked_at = 0;
  for (const auto& device : f.map.devices) {
    if (!is_asked(f, device) || device.chip.health.empty()) continue;
    ++looked_at;
    if (device.chip.health == "Warning") {
      warning.push_back(&device);
    } else if (device.chip.health != "OK") {
      bad.push_back(&device);
    }
  }
  if (looked_at == 0) return unknown("health", "no device's health could be read");
  const auto words = [](const std::vector<const Device*>& devices) {
    std::string text;
    for (const auto* device : devices) {
      text += (text.empty() ? "device " : ", device ") + std::to_string(device->device_id) +
              " (NPU " + std::to_string(device->chip.npu_id) + "): " + device->chip.health;
    }
    return text.substr(0, 300);
  };
  const std::string look =
      "`npu-smi info -t health -i NPU -c CHIP` names the error code; reset the device "
      "(`npu-smi set -t reset -i NPU -c CHIP`) or have it replaced.";
  if (!bad.empty()) {
    const bool all = bad.size() == looked_at || !f.options.device_ids.empty();
    const auto message = words(bad) + (all ? "" : "; the others can be used");
    return all ? failed("health", message, nullptr, look, Who::administrator)
               : warned("health", message, nullptr, look, Who::administrator);
  }
  if (!warning.empty()) {
    return warned("health", words(warning) + "; it can be used, with care", nullptr, look,
                  Who::administrator);
  }
  return passed("health", "OK");
}

Check occupancy(const Findings& f) {
  std::vector<const Device*> free;
  std::vector<const Device*> busy;
  std::vector<const Device*> unclear;
  for (const auto& device : f.map.devices) {
    if (!is_asked(f, device)) continue;
    if (device.state == DeviceState::free) free.push_back(&device);
    if (device.state == DeviceState::busy) busy.push_back(&device);
    if (device.state == DeviceState::unknown) unclear.push_back(&device);
  }
  const std::string remedy =
      "Wait, stop what runs there (on the host: `npu-smi info`, then `ps -p PID`), or take another "
      "device.";
  const bool wants_all = !f.options.device_ids.empty();
  if (!busy.empty() && (wants_all || (free.empty() && unclear.empty()))) {
    return failed("occupancy", listing(busy), nullptr, remedy);
  }
  if (!unclear.empty() && (wants_all || free.empty())) {
    return unknown("occupancy", listing(unclear), nullptr,
                   f.facts.container.empty()
                       ? "See with `ps` whether something uses it."
                       : "Ask on the host: a container sees neither all processes nor all leases.");
  }
  if (free.empty()) return unknown("occupancy", "no healthy device could be looked at");
  return passed("occupancy", std::to_string(free.size()) + " of " +
                                 std::to_string(f.map.devices.size()) + " device(s) free" +
                                 (busy.empty() ? "" : "; busy: " + listing(busy)));
}

Check leases(const Findings& f) {
  const bool container = !f.facts.container.empty() || !f.target.container.empty();
  if (container && !f.facts.lease_dir_mounted) {
    return unknown("leases",
                   "in this container " + f.target.lease_dir +
                       " is not the host's: runs outside the container are not seen",
                   nullptr, "Mount the host's " + f.target.lease_dir + " into the container.");
  }
  Json held = Json::array();
  bool tried = true;
  for (const auto& lease : f.facts.leases) {
    tried = tried && lease.locked.has_value();
    if (lease.locked == true) {
      held.push_back({{"device", evidence_text(lease.name, 80)},
                      {"holder", evidence_text(lease.holder, 300)}});
    }
  }
  if (!tried) {
    return unknown("leases", "whether leases are held could not be tried (no Python, or no access)",
                   nullptr, "See that " + f.target.lease_dir + " can be read.");
  }
  if (held.empty()) return passed("leases", "no run holds a device");
  const auto count = held.size();
  return passed("leases", std::to_string(count) + " device(s) are held by runs", std::move(held));
}

Check visible(const Findings& f) {
  const auto listed = f.facts.env.find("ASCEND_RT_VISIBLE_DEVICES");
  if (listed == f.facts.env.end()) {
    return passed("visible_devices", "ASCEND_RT_VISIBLE_DEVICES is not set");
  }
  const Json evidence = {{"ASCEND_RT_VISIBLE_DEVICES", evidence_text(listed->second, 100)}};
  const std::string remedy =
      "Unset it for this target (it is documented as unsupported while profiling) and choose with "
      "device_ids.";
  const auto seen =
      visible_devices(listed->second, std::max(1, static_cast<int>(f.table.chips.size())));
  if (seen.ids.empty()) {
    return failed("visible_devices", "ASCEND_RT_VISIBLE_DEVICES leaves no device: " + seen.trap,
                  evidence, remedy);
  }
  return warned("visible_devices",
                "ASCEND_RT_VISIBLE_DEVICES is set" + (seen.trap.empty() ? "" : ": " + seen.trap) +
                    "; indices start at 0 among the devices it lists",
                evidence, remedy);
}

}  // namespace

std::vector<Check> device_checks(const Findings& findings) {
  return {npu_smi(findings),    device_access(findings), container_mounts(findings),
          device_map(findings), health(findings),        occupancy(findings),
          leases(findings),     visible(findings)};
}

}  // namespace npuprof::precheck
