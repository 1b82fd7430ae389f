#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "cli/exit_code.hpp"
#include "config/config.hpp"
#include "toolset/toolset.hpp"

namespace npuprof::cli {

struct ServeOptions {
  bool http = false;                  // instead of standard input and output
  std::optional<std::string> listen;  // HOST:PORT; default: server.http.listen
  bool without_token = false;         // anyone on this machine may call the tools
};

// Serves the tools, resources and prompts until a stop is requested; over standard input and
// output to one client, until its input ends. Runs that have started on a host go on.
ExitCode serve_command(const Config& config, Toolset& toolset, const ServeOptions& options,
                       const std::stop_token& stop);

}  // namespace npuprof::cli
