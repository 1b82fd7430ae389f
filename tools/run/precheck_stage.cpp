#include "run/precheck_stage.hpp"

#include "core/error_codes.hpp"

namespace npuprof::run {
namespace {

std::string list_of_devices(const std::vector<FoundDevice>& devices) {
  std::string text;
  for (const auto& device : devices) {
    text += (text.empty() ? "" : ", ") + std::to_string(device.device_id);
  }
  return text.empty() ? "none" : text;
}

Result<std::vector<FoundDevice>> asked_devices(const Json& ids, const PrecheckOutcome& outcome) {
  std::vector<FoundDevice> chosen;
  for (const auto& id : ids) {
    const auto found =
        std::find_if(outcome.devices.begin(), outcome.devices.end(),
                     [&](const FoundDevice& device) { return device.device_id == id.get<int>(); });
    if (found == outcome.devices.end()) {
      return fail({.code = codes::device_unknown,
                   .message = "nothing was run: there is no device " + id.dump() +
                              " in the target; there are: " + list_of_devices(outcome.devices),
                   .remedy = "Choose one of those, or leave device_ids out.",
                   .who = Who::agent});
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace

Result<std::vector<FoundDevice>> choose_devices(const Request& request,
                                                const PrecheckOutcome& outcome) {
  const auto& arguments = request.arguments;
  if (arguments["backend"] == "cpu") return std::vector<FoundDevice>();
  if (arguments.contains("device_ids")) return asked_devices(arguments["device_ids"], outcome);
  const auto wanted = arguments["nproc_per_node"].get<std::size_t>();
  std::vector<int> ids = outcome.recommended;
  // Who waits for a device waits for the first that is held, where none is free.
  for (const auto& device : outcome.devices) {
    if (arguments["wait_for_device_s"].get<int>() == 0 || ids.size() >= wanted) break;
    if (!device.free && !device.leased_by.empty()) ids.push_back(device.device_id);
  }
  if (ids.size() >= wanted) {
    ids.resize(wanted);
    return asked_devices(Json(ids), outcome);
  }
  std::string holders;
  for (const auto& device : outcome.devices) {
    if (device.leased_by.empty()) continue;
    holders += "; device " + std::to_string(device.device_id) + " is held by " + device.leased_by;
  }
  return fail({.code = codes::device_busy,
               .message = "nothing was run: " + std::to_string(wanted) +
                          " free device(s) wanted, " + std::to_string(ids.size()) + " of " +
                          std::to_string(outcome.devices.size()) + " can be had" + holders,
               .remedy = "Wait with wait_for_device_s, or name one with device_ids; precheck says "
                         "what each device is doing.",
               .who = Who::agent,
               .retryable = true});
}

}  // namespace npuprof::run
