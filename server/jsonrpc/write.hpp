#pragma once

#include <string>
#include <string_view>

#include "core/json.hpp"

namespace npuprof::jsonrpc {

// Appends compact JSON text, always valid UTF-8 on one line: bytes that are not UTF-8 become
// U+FFFD, and a number that is not finite becomes null.
void append(std::string& out, const Json& value);
void append_string(std::string& out, std::string_view text);

// Appends `"data"` as base64.
void append_base64(std::string& out, std::string_view bytes);

}  // namespace npuprof::jsonrpc
