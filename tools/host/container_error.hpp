#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace npuprof {

// What a container engine's refusal means. `engine` is "docker" or "podman", `container` the
// configured name, `host` where the engine runs, `said` what it printed, `status` how it ended.
Error container_error(const std::string& engine, const std::string& container,
                      const std::string& host, std::string_view said, int status);

}  // namespace npuprof
