#include "transport/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace npuprof::transport {
namespace {

constexpr std::size_t step = 64 << 10;

}  // namespace

LineReader::LineReader(std::size_t max_line, std::size_t padding)
    : max_line_(max_line), padding_(padding), buffer_(step + padding) {}

LineReader::Space LineReader::space() {
  if (begin_ == end_) {
    begin_ = scanned_ = end_ = 0;
    if (buffer_.size() > 16 * step) {
      buffer_.resize(step + padding_);
      buffer_.shrink_to_fit();
    }
  }
  if (buffer_.size() - padding_ - end_ < step / 4) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      scanned_ -= begin_;
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - padding_ - end_ < step / 4) {
      buffer_.resize(std::min(2 * buffer_.size(), max_line_ + step + padding_));
    }
  }
  return {buffer_.data() + end_, buffer_.size() - padding_ - end_};
}

void LineReader::received(std::size_t length) {
  end_ += length;
}

std::optional<LineReader::Line> LineReader::next() {
  const char* const data = buffer_.data();
  const auto* line_end =
      static_cast<const char*>(std::memchr(data + scanned_, '\n', end_ - scanned_));
  if (line_end == nullptr) {
    scanned_ = end_;
    if (skipping_) {
      begin_ = end_;
    } else if (end_ - begin_ > max_line_) {
      skipping_ = true;
      begin_ = end_;
      return Line{{}, true};
    }
    return std::nullopt;
  }
  const std::size_t start = begin_;
  const auto at = static_cast<std::size_t>(line_end - data);
  begin_ = scanned_ = at + 1;
  if (skipping_) {
    skipping_ = false;
    return next();
  }
  std::string_view text(data + start, at - start);
  if (text.size() > max_line_) return Line{{}, true};
  if (text.ends_with('\r')) text.remove_suffix(1);
  return Line{text, false};
}

}  // namespace npuprof::transport
