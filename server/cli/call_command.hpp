#pragma once

#include <iosfwd>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/tool.hpp"

namespace npuprof::cli {

struct CallOptions {
  std::string tool = {};
  std::optional<std::string> target = {};  // put into the arguments as "target"
  std::string json = "{}";                 // the arguments; "-": standard input; "@path": a file
};

struct CallStreams {
  std::istream& in;
  std::ostream& out;  // the structured result, one JSON document, and nothing else
  std::ostream& err;  // progress and what went wrong, in words
  bool progress;      // err is a terminal
};

// Calls one tool to its end and writes its structured result. A stop request ends the run that the
// call started (cancel_run), not only the waiting.
ExitCode call_command(const std::vector<Tool*>& tools, const CallOptions& options,
                      const CallStreams& streams, const std::stop_token& stop);

}  // namespace npuprof::cli
