#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "transfer/byte_source.hpp"

namespace npuprof::transfer {

struct TarEntry {
  enum class Kind { regular, directory, symlink, hard_link, other };
  Kind kind = Kind::other;
  std::string path;  // as the archive has it: judge it before use
  std::string link;  // of symlink and hard_link, likewise
  std::uint64_t size = 0;
  std::int64_t modified_s = 0;
};

// Reads plain tar (ustar, GNU, pax; several in a row are read as one) from a source, which must
// outlive it. ARCHIVE_BROKEN where it is no tar, is cut, or a header is altered.
class TarReader {
 public:
  explicit TarReader(ByteSource& source);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // The next entry, or nothing at the end (then the source has been read to its end, too).
  Result<std::optional<TarEntry>> next();

  struct Block {
    std::uint64_t offset = 0;  // holes are jumped over and read as zeros
    std::string_view bytes;    // valid until the next call
  };
  // The next piece of the current entry, or nothing at its end.
  Result<std::optional<Block>> data();

  std::uint64_t bytes_read() const;  // of the source

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace npuprof::transfer
