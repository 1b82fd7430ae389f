#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "ascend/hazards.hpp"
#include "ascend/npu_smi.hpp"
#include "ascend/probe.hpp"
#include "ascend/versions.hpp"
#include "config/config.hpp"
#include "core/check.hpp"
#include "core/tool.hpp"
#include "host/host.hpp"

namespace npuprof::precheck {

enum class Level { quick, full };  // quick: without importing torch_npu

struct Options {
  std::vector<int> device_ids = {};  // asked for; empty: look at all
  Level level = Level::full;
  std::chrono::seconds timeout{300};
};

enum class DeviceState { free, busy, unhealthy, unknown };

std::string_view to_string(DeviceState state);

struct Device {
  int device_id = 0;  // the index that torch takes in the target
  std::optional<std::int64_t> logic_id, phy_id;
  ascend::Chip chip;
  std::string generation;
  DeviceState state = DeviceState::unknown;
  std::string reason;     // why it is in that state
  std::string leased_by;  // the holder's run id; empty: no lease seen
  std::string
      lease_key;  // its bus id made a file name; where the bus id is unknown, "npu<N>_chip<M>"
};

struct PrecheckReport {
  std::string target;
  bool ok = false;  // no check failed that profiling needs
  bool simulated = false;
  std::optional<ascend::HostFacts> facts;  // none: the host could not be looked at
  ascend::Versions versions;
  std::vector<Device> devices;
  std::vector<int> recommended_device_ids;
  std::string recommendation;  // why these, or why none
  std::vector<Check> checks;
  std::vector<ascend::FoundHazard> hazards;
  Json inference;                    // as precheck_output.schema.json has it
  std::vector<std::string> set_env;  // the scripts to source before Python on this host
  std::optional<Error> error;        // the first failed check as an error; none where ok
  std::chrono::milliseconds elapsed{0};
};

// The report where the host itself could not be had: the connection's checks, the rest skipped.
PrecheckReport unreachable(const Target& target, const Error& error);

// Looks at a target with one round trip; never throws for what a host may say.
PrecheckReport run_precheck(Host& host, const Target& target, const Options& options,
                            const std::stop_token& stop);

// As precheck_output.schema.json has it; a report with at most 32 of its devices.
void to_json(Json& out, const PrecheckReport& report);
void to_json(Json& out, const Device& device);

using HostOf = std::function<Result<std::shared_ptr<Host>>(const Target&)>;

// Runs one inference step of the workload that `arguments` (precheck's own input) names, on the
// devices of the report, and returns `inference` as precheck_output.schema.json has it.
using Inference = std::function<Result<Json>(Host&, const Target&, const PrecheckReport&,
                                             const Json& arguments, CallContext&)>;

// The tool `precheck`. `config` must outlive it. An empty `inference` is one_step_inference.
std::unique_ptr<Tool> make_precheck(const Config& config, HostOf host_of, Inference inference = {});

}  // namespace npuprof::precheck
