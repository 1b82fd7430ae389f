#pragma once

#include <unistd.h>

#include <string>
#include <utility>

#include "core/error.hpp"

namespace npuprof::transfer {

// Owns a file descriptor of this machine.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileHandle() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// What a call to this machine's kernel failed with, as an Error: NO_SPACE, NOT_FOUND,
// PERMISSION_DENIED, ALREADY_EXISTS, IO_ERROR.
Error home_error(const std::string& what, int number);

}  // namespace npuprof::transfer
