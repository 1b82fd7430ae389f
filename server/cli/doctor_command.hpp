#pragma once

#include <iosfwd>
#include <stop_token>
#include <vector>

#include "cli/exit_code.hpp"
#include "config/config.hpp"
#include "core/check.hpp"
#include "core/tool.hpp"

namespace npuprof::cli {

// Is this machine ready: the configuration, the folders and the SSH files that it names. Touches no
// network.
std::vector<Check> check_this_machine(const Config& config);

// Those checks, and precheck of every target, written to `out` for a person, or as one JSON
// document. success only where no check failed and every target could be looked at.
ExitCode doctor_command(const Config& config, const std::vector<Tool*>& tools, bool as_json,
                        std::ostream& out, const std::stop_token& stop);

}  // namespace npuprof::cli
