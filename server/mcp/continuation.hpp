#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/json.hpp"

namespace npuprof::mcp {

// Signs the state that a client carries from one round of a request to the next. What comes back is
// trusted only if this object signed it, for the same request, and not too long ago. For any
// thread.
class Continuation {
 public:
  Continuation();  // with a key of its own, drawn at random

  // `purpose` is what the state is bound to: method, name and arguments of the request.
  std::string sign(const Json& state, std::string_view purpose,
                   std::chrono::system_clock::time_point now) const;

  // The state, or in words why it is refused.
  tl::expected<Json, std::string> open(std::string_view token, std::string_view purpose,
                                       std::chrono::system_clock::time_point now) const;

 private:
  std::string mac(std::string_view payload, std::string_view purpose) const;

  std::string key_;
};

}  // namespace npuprof::mcp
