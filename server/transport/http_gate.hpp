#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "transport/http_message.hpp"

namespace npuprof::transport {

struct HttpAccess {
  std::optional<std::string> token;  // the bearer token; none only where the user said so
  std::vector<std::string> allowed_hosts = {};    // names beyond this machine's loopback ones
  std::vector<std::string> allowed_origins = {};  // "https://app.example", beyond loopback ones
};

// Who may come in: checks Host and Origin, so that a web page in the user's browser can't reach the
// server by another name, and the bearer token.
class HttpGate {
 public:
  explicit HttpGate(HttpAccess access) : access_(std::move(access)) {}

  // The refusal, or nothing. Paths in `open_to_all` need no token.
  std::optional<HttpResponse> check(const HttpHead& head, bool open_to_all) const;

 private:
  const HttpAccess access_;
};

// The token kept in `file`, which is made at first use: 64 random hexadecimal digits, mode 0600. A
// file that others may read is refused.
Result<std::string> http_token(const std::filesystem::path& file);

}  // namespace npuprof::transport
