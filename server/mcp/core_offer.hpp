#pragma once

#include <memory>

#include "core/tool.hpp"
#include "mcp/offer.hpp"

namespace npuprof::mcp {

// What speaks core's words, as an offer of the protocol. The object must outlive the server.
std::shared_ptr<ToolHandler> offer_of(Tool& tool);

}  // namespace npuprof::mcp
