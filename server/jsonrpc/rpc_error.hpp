#pragma once

#include <string>

#include "core/json.hpp"

namespace npuprof::jsonrpc {

inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int server_error = -32000;  // the first of those that an application may define

struct RpcError {
  int code = internal_error;
  std::string message;
  Json data = nullptr;  // left out where null
};

}  // namespace npuprof::jsonrpc
