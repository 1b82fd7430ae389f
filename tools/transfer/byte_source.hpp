#pragma once

#include <memory>
#include <string_view>

#include "core/error.hpp"

namespace npuprof::transfer {

// A stream of bytes that is pulled. Used by one thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // The next bytes, valid until the next call; empty at the end, and ever after.
  virtual Result<std::string_view> next() = 0;
};

// Reads an open file of this machine; does not own it.
std::unique_ptr<ByteSource> file_source(int descriptor);

// Undoes whichever of gzip, zstd, xz, bzip2 `packed` begins with, or passes plain bytes through.
// ARCHIVE_BROKEN where the packed stream is cut, altered (as far as its checksums tell), or
// followed by something else. `packed` must outlive it.
Result<std::unique_ptr<ByteSource>> unpacked_source(ByteSource& packed);

}  // namespace npuprof::transfer
