#pragma once

#include <cstddef>
#include <stop_token>

#include "mcp/server.hpp"

namespace npuprof::transport {

struct StdioLimits {
  std::size_t line_bytes = 64u << 20;  // of a longer line nothing is kept; it gets an error
  std::size_t depth = 128;
};

// Serves one client on a pair of file descriptors, one JSON message a line, until the end of the
// input or a stop. At the end of the input open calls have 0.3 s to end by themselves and, asked to
// stop, 0.7 s more; at a stop they have two seconds. Those that end are answered, the others are
// left. Writes nothing else to `out_fd`, and closes neither. SIGPIPE is ignored from then on.
void serve_stdio(mcp::Server& server, int in_fd, int out_fd, const std::stop_token& stop = {},
                 StdioLimits limits = {});

}  // namespace npuprof::transport
