#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/json.hpp"

namespace npuprof::jsonrpc {

// Reads JSON text whose sender is not trusted: invalid UTF-8 and nesting beyond `max_depth` are
// refused. Keeps its buffers from one text to the next; for one thread at a time.
class Reader {
 public:
  explicit Reader(std::size_t max_depth = 128);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // This many bytes behind a text must be readable (their values don't matter) for it to be read
  // where it lies.
  static const std::size_t padding;

  // The document, or in words why there is none. `readable` is how many bytes behind the text may
  // be read: with less than `padding` the text is copied first.
  tl::expected<Json, std::string> read(std::string_view text, std::size_t readable = 0);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
  std::size_t max_depth_;
};

}  // namespace npuprof::jsonrpc
