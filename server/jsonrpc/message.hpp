#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "jsonrpc/rpc_error.hpp"

namespace npuprof::jsonrpc {

struct Message {
  enum class Kind { request, notification, result, error };
  Kind kind = Kind::notification;
  Json id = nullptr;  // a string or an integer; null for a notification and an unattributed error
  std::string method;
  Json params = nullptr;  // an object, or null where there were none
  Json result = nullptr;
  RpcError error = {};
};

struct InvalidMessage {
  Json id = nullptr;  // where it could be told
  RpcError error;
};

// One JSON-RPC 2.0 message. Ids are strings or integers of at most 64 bits, params an object.
tl::expected<Message, InvalidMessage> message_from(Json&& document);

// The answers, as JSON text without a line end.
std::string result_text(const Json& id, const Json& result);
std::string error_text(const Json& id, const RpcError& error);
std::string notification_text(std::string_view method, const Json& params);
std::string request_text(const Json& id, std::string_view method, const Json& params);

// `{"jsonrpc":"2.0","id":<id>,"result":`, for results that are written straight to the text; close
// with "}".
void begin_result(std::string& out, const Json& id);

}  // namespace npuprof::jsonrpc
