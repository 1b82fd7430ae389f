#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "config/target.hpp"
#include "host/host.hpp"

namespace npuprof::run {

// A command that runs the target's Python with `arguments`, after sourcing `set_env` and with the
// target's directories in front of PATH.
Command host_python(const Target& target, const std::vector<std::string>& set_env,
                    std::vector<std::string> arguments);

// True where the target's environment is that of a simulated host. False also where it can't be
// told: whoever starts something asks the precheck instead.
bool is_simulated(Host& host, const Target& target, const std::stop_token& stop);

}  // namespace npuprof::run
