#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace npuprof::transfer {

// Writes one gzip member, compressing pieces of it in several threads. The bytes depend on the
// content alone, not on the number of threads. For one thread at a time.
class GzipWriter {
 public:
  using Sink = std::function<Result<void>(std::string_view)>;

  // `threads` of at least 1.
  GzipWriter(unsigned threads, Sink sink);

  Result<void> write(std::string_view bytes);
  Result<void> finish();

 private:
  struct Piece {
    std::string packed;
    unsigned long sum = 0;
    std::size_t length = 0;
  };
  static Piece pack(const std::string& bytes, const std::string& before, bool last);
  Result<void> start_piece(bool last);
  Result<void> drain(std::size_t at_most);

  Sink sink_;
  std::size_t in_flight_;
  std::deque<std::future<Piece>> pieces_;
  std::string pending_;
  std::string before_;  // the end of the piece before, which the next may refer to
  unsigned long sum_;
  std::uint64_t length_ = 0;
  bool begun_ = false;
};

}  // namespace npuprof::transfer
