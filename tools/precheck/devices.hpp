#pragma once

#include <string>
#include <vector>

#include "precheck/precheck.hpp"

namespace npuprof::precheck {

// The devices of a target, as torch numbers them there.
struct DeviceMap {
  std::vector<Device> devices;  // by device_id, without their state
  bool certain = true;          // false: which chip torch means by an index could not be settled
  std::string note;             // why not, or how the numbers were found
};

DeviceMap map_devices(const ascend::HostFacts& facts, const ascend::InfoTable& table,
                      const std::vector<ascend::MapRow>& rows);

// What ASCEND_RT_VISIBLE_DEVICES selects of `count` devices, as the runtime reads it: it stops at
// the first entry that is no id, and ids out of order select nothing.
struct VisibleDevices {
  std::vector<int> ids;
  std::string trap;  // what is wrong with the list; empty: nothing
};
VisibleDevices visible_devices(const std::string& value, int count);

// Sets state, reason and leased_by.
void judge(Device& device, const ascend::HostFacts& facts);

// The devices that a run may take, the best first, and why.
struct Recommendation {
  std::vector<int> device_ids;
  std::string reason;
};
Recommendation recommend(const std::vector<Device>& devices);

}  // namespace npuprof::precheck
