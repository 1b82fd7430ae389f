#include "mcp/continuation.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "jsonrpc/write.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::chrono::minutes lifetime{60};
constexpr std::size_t mac_size = 32;

std::string hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[c & 15];
  }
  return out;
}

bool unhex(std::string_view text, std::string& out) {
  const auto value = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return false;
  out.clear();
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]);
    const int low = value(text[i + 1]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high << 4 | low);
  }
  return true;
}

std::int64_t seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

Continuation::Continuation() : key_(32, '\0') {
  if (RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), static_cast<int>(key_.size())) !=
      1) {
    throw std::runtime_error("no random numbers for a signing key");
  }
}

std::string Continuation::mac(std::string_view payload, std::string_view purpose) const {
  std::string signed_text(payload);
  signed_text += '\0';
  signed_text += purpose;
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(signed_text.data()), signed_text.size(), out.data(),
       &size);
  return {reinterpret_cast<const char*>(out.data()), size};
}

std::string Continuation::sign(const Json& state, std::string_view purpose,
                               std::chrono::system_clock::time_point now) const {
  std::string payload;
  jsonrpc::append(payload, {{"state", state}, {"until", seconds_of(now + lifetime)}});
  return hex(payload) + "." + hex(mac(payload, purpose));
}

tl::expected<Json, std::string> Continuation::open(
    std::string_view token, std::string_view purpose,
    std::chrono::system_clock::time_point now) const {
  const auto refuse = [](const char* why) { return tl::unexpected<std::string>(why); };
  const auto dot = token.find('.');
  std::string payload;
  std::string given;
  if (dot == std::string_view::npos || !unhex(token.substr(0, dot), payload) ||
      !unhex(token.substr(dot + 1), given) || given.size() != mac_size) {
    return refuse("requestState is not one of this server's");
  }
  const auto expected = mac(payload, purpose);
  if (CRYPTO_memcmp(given.data(), expected.data(), mac_size) != 0) {
    return refuse("requestState was changed, or belongs to another request or server");
  }
  auto document = Json::parse(payload);
  if (document.at("until").get<std::int64_t>() < seconds_of(now)) {
    return refuse("requestState has expired; begin the request anew");
  }
  return std::move(document.at("state"));
}

}  // namespace npuprof::mcp
