#include "core/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error_codes.hpp"

namespace npuprof {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { EVP_DigestInit_ex(context, EVP_sha256(), nullptr); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->context, digest.data(), &size);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += digits[digest[i] >> 4];
    out += digits[digest[i] & 0xF];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.update(bytes);
  return sum.hex();
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) {
    return fail({.code = errno == ENOENT ? codes::not_found : codes::io_error,
                 .message = "can't read " + path.string() + ": " + std::strerror(errno)});
  }
  Sha256 sum;
  std::string buffer(1 << 20, '\0');
  std::size_t got = 0;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0) {
    sum.update({buffer.data(), got});
  }
  if (std::ferror(file.get()) != 0) {
    return fail({.code = codes::io_error, .message = "reading " + path.string() + " failed"});
  }
  return sum.hex();
}

}  // namespace npuprof
