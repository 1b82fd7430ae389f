#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/json.hpp"

namespace npuprof {

// Who can mend what went wrong.
enum class Who { agent, user, administrator };

std::string_view to_string(Who who);

// What can happen in normal use. `code` is one of error_codes.hpp and stable; `message` says what
// happened and whether anything ran; `remedy` says what to do next. Text from a host inside either
// has been through clean_host_text.
struct Error {
  std::string code;
  std::string message;
  std::string remedy = {};
  Who who = Who::user;
  bool retryable = false;  // the same call may succeed later, unchanged
  Json details = nullptr;  // figures the message rests on, or null
};

// {"code", "message", "remedy", "who", "retryable"} and, where there are any, "details".
void to_json(Json& out, const Error& error);
void from_json(const Json& in, Error& error);

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace npuprof
