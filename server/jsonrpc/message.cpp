#include "jsonrpc/message.hpp"

#include "jsonrpc/write.hpp"

namespace npuprof::jsonrpc {
namespace {

bool is_id(const Json& id) {
  return id.is_string() || id.is_number_integer();
}

tl::unexpected<InvalidMessage> invalid(Json id, std::string why) {
  return tl::unexpected<InvalidMessage>(
      InvalidMessage{std::move(id), {invalid_request, std::move(why)}});
}

}  // namespace

tl::expected<Message, InvalidMessage> message_from(Json&& document) {
  if (!document.is_object()) return invalid(nullptr, "a message is a JSON object");
  Message message;
  const auto end = document.end();
  const auto id = document.find("id");
  if (id != end) {
    if (!is_id(*id) && !(id->is_null() && document.contains("error"))) {
      return invalid(nullptr, "id is a string or an integer of at most 64 bits");
    }
    message.id = std::move(*id);
  }
  const auto version = document.find("jsonrpc");
  if (version == end || !version->is_string() || version->get_ref<const std::string&>() != "2.0") {
    return invalid(std::move(message.id), "jsonrpc is \"2.0\"");
  }
  const auto method = document.find("method");
  if (method != end) {
    if (!method->is_string()) return invalid(std::move(message.id), "method is a string");
    const auto params = document.find("params");
    if (params != end) {
      if (!params->is_object()) return invalid(std::move(message.id), "params is an object");
      message.params = std::move(*params);
    }
    message.method = std::move(method->get_ref<std::string&>());
    message.kind = id != end ? Message::Kind::request : Message::Kind::notification;
    return message;
  }
  const auto error = document.find("error");
  if (error != end) {
    if (!error->is_object()) return invalid(nullptr, "error is an object");
    message.kind = Message::Kind::error;
    const auto code = error->find("code");
    if (code != error->end() && code->is_number_integer()) message.error.code = code->get<int>();
    const auto text = error->find("message");
    if (text != error->end() && text->is_string()) message.error.message = text->get<std::string>();
    const auto data = error->find("data");
    if (data != error->end()) message.error.data = std::move(*data);
    return message;
  }
  const auto result = document.find("result");
  if (result != end && id != end) {
    message.kind = Message::Kind::result;
    message.result = std::move(*result);
    return message;
  }
  return invalid(std::move(message.id), "neither a method, a result nor an error");
}

void begin_result(std::string& out, const Json& id) {
  out += R"({"jsonrpc":"2.0","id":)";
  append(out, id);
  out += R"(,"result":)";
}

std::string result_text(const Json& id, const Json& result) {
  std::string out;
  begin_result(out, id);
  append(out, result);
  out += '}';
  return out;
}

std::string error_text(const Json& id, const RpcError& error) {
  std::string out = R"({"jsonrpc":"2.0")";
  out += R"(,"id":)";
  append(out, id);
  out += R"(,"error":{"code":)";
  append(out, Json(error.code));
  out += R"(,"message":)";
  append_string(out, error.message);
  if (!error.data.is_null()) {
    out += R"(,"data":)";
    append(out, error.data);
  }
  out += "}}";
  return out;
}

std::string notification_text(std::string_view method, const Json& params) {
  std::string out = R"({"jsonrpc":"2.0","method":)";
  append_string(out, method);
  if (!params.is_null()) {
    out += R"(,"params":)";
    append(out, params);
  }
  out += '}';
  return out;
}

std::string request_text(const Json& id, std::string_view method, const Json& params) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  append(out, id);
  out += R"(,"method":)";
  append_string(out, method);
  if (!params.is_null()) {
    out += R"(,"params":)";
    append(out, params);
  }
  out += '}';
  return out;
}

}  // namespace npuprof::jsonrpc
