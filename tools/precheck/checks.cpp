#include "precheck/checks.hpp"

#include "core/host_text.hpp"

namespace npuprof::precheck {

const std::vector<std::string>& check_ids() {
  static const std::vector<std::string> ids = {"connection",
                                               "host_key",
                                               "login",
                                               "container",
                                               "probe",
                                               "npu_smi",
                                               "device_access",
                                               "container_mounts",
                                               "device_map",
                                               "health",
                                               "occupancy",
                                               "leases",
                                               "visible_devices",
                                               "driver",
                                               "firmware",
                                               "cann",
                                               "set_env",
                                               "driver_cann",
                                               "msprof",
                                               "profiler_env",
                                               "python",
                                               "torch",
                                               "torch_npu",
                                               "torch_pair",
                                               "cann_pair",
                                               "python_pair",
                                               "torch_npu_import",
                                               "hazards",
                                               "user",
                                               "clock",
                                               "workspace",
                                               "workspace_path",
                                               "disk",
                                               "shared_memory",
                                               "other_profiler",
                                               "inference"};
  return ids;
}

Check passed(std::string id, std::string message, Json evidence) {
  return {std::move(id), CheckStatus::pass, std::move(message), std::move(evidence), {}, Who::user};
}

Check skipped(std::string id, std::string message) {
  return {std::move(id), CheckStatus::skip, std::move(message), nullptr, {}, Who::user};
}

Check unknown(std::string id, std::string message, Json evidence, std::string remedy, Who who) {
  return {std::move(id),       CheckStatus::unknown, std::move(message),
          std::move(evidence), std::move(remedy),    who};
}

Check warned(std::string id, std::string message, Json evidence, std::string remedy, Who who) {
  return {std::move(id),       CheckStatus::warn, std::move(message),
          std::move(evidence), std::move(remedy), who};
}

Check failed(std::string id, std::string message, Json evidence, std::string remedy, Who who) {
  return {std::move(id),       CheckStatus::fail, std::move(message),
          std::move(evidence), std::move(remedy), who};
}

Json evidence_text(std::string_view text, std::size_t limit) {
  return clean_host_text(text, limit);
}

}  // namespace npuprof::precheck
