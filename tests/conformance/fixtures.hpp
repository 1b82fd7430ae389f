#pragma once

#include "mcp/server.hpp"

namespace npuprof::conformance {

// What the official suite expects a server to offer, and `echo` for the benchmarks.
void offer_tools(mcp::Server& server);
void offer_tasks(mcp::Server& server);
void offer_resources(mcp::Server& server);
void offer_prompts(mcp::Server& server);

extern const char* const red_pixel;  // a PNG, as base64

}  // namespace npuprof::conformance
