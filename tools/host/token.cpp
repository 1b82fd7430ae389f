#include "host/token.hpp"

#include <sys/random.h>

#include <array>
#include <cstdint>
#include <system_error>

namespace npuprof {

std::string random_token() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  std::string token;
  for (const auto byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

}  // namespace npuprof
