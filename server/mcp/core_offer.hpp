#pragma once

#include <memory>

#include "core/prompt.hpp"
#include "core/resource.hpp"
#include "core/tool.hpp"
#include "mcp/offer.hpp"

namespace npuprof::mcp {

// What speaks core's words, as an offer of the protocol. The object must outlive the server.
std::shared_ptr<ToolHandler> offer_of(Tool& tool);
std::shared_ptr<ResourceHandler> offer_of(ResourceProvider& provider);
std::shared_ptr<PromptHandler> offer_of(Prompt& prompt);

}  // namespace npuprof::mcp
