#include "transport/mcp_headers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "jsonrpc/write.hpp"
#include "mcp/revision.hpp"

namespace npuprof::transport {
namespace {

using jsonrpc::RpcError;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

RpcError mismatch(const std::string& what) {
  return {mcp::header_mismatch, "Header mismatch: " + what};
}

std::optional<std::string> from_base64(std::string_view text) {
  const auto value = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const int padding = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const int digit = k < static_cast<std::size_t>(4 - padding) ? value(text[i + k]) : 0;
      if (digit < 0) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (int k = 0; k < 3 - padding; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 0xff);
  }
  return out;
}

// What a header's value stands for; nothing where it is malformed.
std::optional<std::string> decoded(const std::string& value) {
  constexpr std::string_view begin = "=?base64?";
  constexpr std::string_view end = "?=";
  if (value.size() >= begin.size() + end.size() && value.starts_with(begin) &&
      value.ends_with(end)) {
    return from_base64(
        std::string_view(value).substr(begin.size(), value.size() - begin.size() - end.size()));
  }
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
    return c == '\t' ||
           (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f);
  });
  return plain ? std::optional(value) : std::nullopt;
}

// A header that must be there once, and equal to `expected`.
std::optional<RpcError> compare(const HttpHead& head, const std::string& name,
                                const std::string& expected, bool encoded) {
  const auto key = lower(name);
  const auto count = std::count_if(head.headers.begin(), head.headers.end(),
                                   [&](const auto& entry) { return entry.first == key; });
  if (count == 0) return mismatch(name + " is missing");
  if (count > 1) return mismatch(name + " is there more than once");
  const auto& raw = *head.header(key);
  const auto value = encoded ? decoded(raw) : std::optional(raw);
  if (!value) return mismatch(name + " has invalid characters or a broken encoding");
  if (*value != expected) {
    return mismatch(name + " is '" + value->substr(0, 100) + "', but the body says '" +
                    expected.substr(0, 100) + "'");
  }
  return std::nullopt;
}

bool same_number(const std::string& text, const Json& number) {
  double value = 0;
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return false;
  std::int64_t exact = 0;
  const auto [whole, overflow] = std::from_chars(text.data(), end, exact);
  if (overflow == std::errc() && whole == end && number.is_number_integer()) {
    return exact == number.get<std::int64_t>();
  }
  return value == number.get<double>();
}

std::optional<RpcError> check_parameters(const HttpHead& head, const Json& schema,
                                         const Json& arguments) {
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return std::nullopt;
  for (const auto& [name, property] : properties->items()) {
    if (!property.is_object()) continue;
    const auto found = arguments.is_object() ? arguments.find(name) : arguments.end();
    const bool given = arguments.is_object() && found != arguments.end() && !found->is_null();
    static const Json nothing = nullptr;
    const Json& value = given ? *found : nothing;
    if (const auto mark = property.find("x-mcp-header");
        mark != property.end() && mark->is_string()) {
      const auto header = "Mcp-Param-" + mark->get<std::string>();
      const auto* raw = head.header(lower(header));
      if (!given) {
        if (raw != nullptr) return mismatch(header + " is there, but the body has no value");
        continue;
      }
      if (raw == nullptr) return mismatch(header + " is missing");
      const auto text = decoded(*raw);
      if (!text) return mismatch(header + " has invalid characters or a broken encoding");
      const bool same = value.is_string()    ? *text == value.get<std::string>()
                        : value.is_boolean() ? *text == (value.get<bool>() ? "true" : "false")
                        : value.is_number()  ? same_number(*text, value)
                                             : false;
      if (!same) return mismatch(header + " does not match the body");
    } else if (auto error = check_parameters(head, property, value)) {
      return error;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<RpcError> header_mismatch(const HttpHead& head, const jsonrpc::Message& message,
                                        const Json* input_schema) {
  if (auto error = compare(head, "Mcp-Method", message.method, false)) return error;
  const auto text_of = [&](const char* name) -> const std::string* {
    if (!message.params.is_object()) return nullptr;
    const auto found = message.params.find(name);
    return found != message.params.end() && found->is_string()
               ? &found->get_ref<const std::string&>()
               : nullptr;
  };
  const std::string* name = nullptr;
  if (message.method == "tools/call" || message.method == "prompts/get") name = text_of("name");
  if (message.method == "resources/read") name = text_of("uri");
  if (message.method == "tasks/get" || message.method == "tasks/update" ||
      message.method == "tasks/cancel") {
    name = text_of("taskId");
  }
  if (name != nullptr) {
    if (auto error = compare(head, "Mcp-Name", *name, true)) return error;
  }
  if (input_schema != nullptr && message.params.is_object()) {
    const auto arguments = message.params.find("arguments");
    return check_parameters(head, *input_schema,
                            arguments != message.params.end() ? *arguments : Json());
  }
  return std::nullopt;
}

}  // namespace npuprof::transport
