#include "transport/http_gate.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/error_codes.hpp"
#include "core/sha256.hpp"

namespace npuprof::transport {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// "name:port" without the port; "[::1]:80" gives "[::1]".
std::string host_name(std::string_view authority) {
  const auto end = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  const auto colon = authority.find(':', end == std::string_view::npos ? 0 : end);
  return lower(authority.substr(0, colon));
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& entry) { return lower(entry) == word; });
}

HttpResponse refusal(int status, const std::string& why) {
  return {.status = status,
          .content_type = "application/json",
          .body = R"({"jsonrpc":"2.0","error":{"code":-32600,"message":")" + why + "\"}}"};
}

// In a time that does not depend on where they differ.
bool same(const std::string& a, const std::string& b) {
  const auto left = sha256_hex(a);
  const auto right = sha256_hex(b);
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace

std::optional<HttpResponse> HttpGate::check(const HttpHead& head, bool open_to_all) const {
  const auto* host = head.header("host");
  const auto name = host ? host_name(*host) : "";
  if (!is_loopback(name) && !contains(access_.allowed_hosts, name)) {
    return refusal(403, "Host is not allowed");
  }
  for (const auto& [key, value] : head.headers) {
    if (key != "origin") continue;
    const auto scheme_end = value.find("://");
    const bool own = scheme_end != std::string::npos &&
                     is_loopback(host_name(std::string_view(value).substr(scheme_end + 3)));
    if (!own && !contains(access_.allowed_origins, lower(value))) {
      return refusal(403, "Origin is not allowed");
    }
  }
  if (!access_.token || open_to_all) return std::nullopt;
  const auto* given = head.header("authorization");
  constexpr std::string_view scheme = "bearer ";
  if (given == nullptr || lower(given->substr(0, scheme.size())) != scheme ||
      !same(given->substr(scheme.size()), *access_.token)) {
    auto response = refusal(401, "a bearer token is needed");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  return std::nullopt;
}

Result<std::string> http_token(const std::filesystem::path& file) {
  const auto no = [&](std::string code, const std::string& why) {
    return fail({.code = std::move(code),
                 .message = "the HTTP token file " + file.string() + " " + why,
                 .remedy = "Correct or remove the file; it is made anew at the next start."});
  };
  const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) {
    std::array<unsigned char, 32> bytes;
    std::string token;
    if (RAND_bytes(bytes.data(), bytes.size()) == 1) {
      token = sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    const auto written = token.empty() ? -1 : write(made, token.data(), token.size());
    close(made);
    if (written != static_cast<ssize_t>(token.size())) {
      unlink(file.c_str());
      return no(codes::io_error, "can't be written");
    }
    return token;
  }
  if (errno != EEXIST) {
    return no(codes::io_error, std::string("can't be made: ") + std::strerror(errno));
  }
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return no(codes::io_error, std::string("can't be read: ") + std::strerror(errno));
  struct stat about {};
  fstat(fd, &about);
  std::array<char, 4096> text;
  const auto length = read(fd, text.data(), text.size());
  close(fd);
  if ((about.st_mode & 077) != 0) return no(codes::permission_denied, "may be read by others");
  std::string token(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.size() < 16 || token.find_first_of(" \t\r\n") != std::string::npos) {
    return no(codes::config_invalid, "holds no token of at least 16 characters");
  }
  return token;
}

}  // namespace npuprof::transport
