#pragma once

#include <stop_token>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/tool.hpp"

namespace npuprof::cli {

// Serves the tools to one client over standard input and output until the input ends or a stop is
// requested. Runs that have started on a host go on.
ExitCode serve_command(const std::vector<Tool*>& tools, const std::stop_token& stop);

}  // namespace npuprof::cli
