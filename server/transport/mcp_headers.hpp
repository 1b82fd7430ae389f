#pragma once

#include <optional>
#include <string>

#include "jsonrpc/message.hpp"
#include "transport/http_message.hpp"

namespace npuprof::transport {

// The modern era's check that a request's headers say what its body says. `input_schema` is that of
// the called tool, whose `x-mcp-header` properties are mirrored too, or null. The error is
// HeaderMismatch, to be answered with 400.
std::optional<jsonrpc::RpcError> header_mismatch(const HttpHead& head,
                                                 const jsonrpc::Message& message,
                                                 const Json* input_schema);

}  // namespace npuprof::transport
