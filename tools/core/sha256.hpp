#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace npuprof {

// A running SHA-256. Movable; not for several threads at once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  std::string hex();  // 64 lower-case digits; the object can't be used afterwards

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace npuprof
