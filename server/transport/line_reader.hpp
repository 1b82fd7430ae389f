#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace npuprof::transport {

// Cuts a stream of bytes into lines of bounded length. Bytes are read into `space`, and each line
// is a view of them, with `padding` readable bytes behind it, until the next call.
class LineReader {
 public:
  LineReader(std::size_t max_line, std::size_t padding);

  struct Space {
    char* begin;
    std::size_t size;
  };
  Space space();                      // where to read to; never empty
  void received(std::size_t length);  // that many bytes were read to it

  struct Line {
    std::string_view text;  // without line end; empty for a line that was too long
    bool too_long = false;
  };
  std::optional<Line> next();

 private:
  const std::size_t max_line_;
  const std::size_t padding_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the line that is being read
  std::size_t scanned_ = 0;  // up to here there is no line end
  std::size_t end_ = 0;
  bool skipping_ = false;
};

}  // namespace npuprof::transport
