#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/call_context.hpp"
#include "host/host.hpp"
#include "run/request.hpp"

namespace npuprof::run {

// A device as the precheck found it.
struct FoundDevice {
  int device_id = 0;      // the index that torch takes in the target
  std::string lease_key;  // names its lease; empty: none can be had
  bool free = false;
  std::string leased_by;  // the holder's run id, or empty
  Json facts;             // for the record
};

// Settings of collect_profile that the host's versions ask for, whatever the caller said.
struct Override {
  Json settings;  // {"with_stack": false}
  std::string why;
};

struct PrecheckOutcome {
  std::optional<Error> error;  // the run must not be started
  bool simulated = false;
  Json checks = Json::array();
  Json versions = Json::object();
  std::vector<FoundDevice> devices;
  std::vector<int> recommended;
  std::vector<std::string> set_env;  // scripts to source before Python
  std::vector<Override> overrides;
};

// The stage that comes before a start. Brought by collect_profile, since the precheck is a tool of
// its own. Ends early, with CANCELLED, when a stop is requested.
using PrecheckStage = std::function<PrecheckOutcome(Host&, const Request&, const std::stop_token&)>;

// The devices of a run: those that were asked for, else the recommended ones, as many as there are
// processes. DEVICE_UNKNOWN naming those there are, DEVICE_BUSY where too few are free.
Result<std::vector<FoundDevice>> choose_devices(const Request& request,
                                                const PrecheckOutcome& outcome);

}  // namespace npuprof::run
