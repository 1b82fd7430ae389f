#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "transfer/file_handle.hpp"

namespace npuprof::transfer {

// A file of this machine that is being written and hashed from its beginning on. `name` is for
// messages.
class IncomingFile {
 public:
  IncomingFile(FileHandle file, std::string name);

  // Begins with the first `bytes` that the file holds already; the rest of it is cut off. Gives
  // their SHA-256.
  Result<std::string> take_over(std::uint64_t bytes);

  // Holes between the end so far and `offset` read as zeros; going back is IO_ERROR.
  Result<void> write(std::uint64_t offset, std::string_view bytes);

  // Fills up with zeros to `size`.
  Result<void> extend(std::uint64_t size);

  std::uint64_t size() const { return size_; }
  const FileHandle& file() const { return file_; }
  std::string sha256() { return sum_.hex(); }  // once

 private:
  FileHandle file_;
  std::string name_;
  Sha256 sum_;
  std::uint64_t size_ = 0;
  std::uint64_t on_its_way_ = 0;  // bytes the kernel was asked to write out
};

}  // namespace npuprof::transfer
