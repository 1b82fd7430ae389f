#pragma once

#include <filesystem>
#include <optional>

#include "core/error.hpp"

namespace npuprof::run {

// A file lock that ends with its holder, however that ends. Excludes other processes and other
// holders in this one.
class RunLock {
 public:
  // Nothing where somebody else holds it. Makes the file where it is missing.
  static Result<std::optional<RunLock>> try_take(const std::filesystem::path& file);

  // Waits for the holder.
  static Result<RunLock> take(const std::filesystem::path& file);

  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

 private:
  explicit RunLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace npuprof::run
