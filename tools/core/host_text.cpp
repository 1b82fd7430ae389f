#include "core/host_text.hpp"

#include <cstdint>

namespace npuprof {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The length of the well-formed UTF-8 sequence at the head of `text`, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto is_tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return is_tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!is_tail(1) || !is_tail(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!is_tail(1) || !is_tail(2) || !is_tail(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

// The length of the terminal escape sequence at the head of `text` (which begins with ESC).
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    std::size_t end = 2;
    while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
    return std::min(end + 1, text.size());
  }
  if (text[1] == ']') {
    const auto end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\a' ? end + 1 : std::min(end + 2, text.size());
  }
  return 2;
}

std::string clean(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const char c = raw[0];
    if (c == '\x1b') {
      raw.remove_prefix(escape_length(raw));
    } else if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == '\x7f') {
      raw.remove_prefix(1);
    } else if (const auto length = sequence_length(raw); length > 0) {
      out += raw.substr(0, length);
      raw.remove_prefix(length);
    } else {
      out += replacement;
      raw.remove_prefix(1);
    }
  }
  return out;
}

bool is_boundary(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<std::uint8_t>(text[at]) & 0xC0) != 0x80;
}

}  // namespace

std::string clean_host_text(std::string_view raw, std::size_t limit) {
  // What lies far outside the limit is not worth cleaning first: 4 raw bytes may shrink to none, so
  // keep a margin.
  std::size_t skipped = 0;
  std::string text;
  if (raw.size() > 16 * limit + 4096) {
    const std::size_t keep = 8 * limit + 2048;
    skipped = raw.size() - 2 * keep;
    text = clean(raw.substr(0, keep)) + clean(raw.substr(raw.size() - keep));
  } else {
    text = clean(raw);
  }
  if (text.size() <= limit && skipped == 0) return text;
  std::size_t head = std::min(limit / 2, text.size());
  while (head > 0 && !is_boundary(text, head)) --head;
  std::size_t tail = text.size() - std::min(limit - limit / 2, text.size() - head);
  while (!is_boundary(text, tail)) ++tail;
  const std::size_t left_out = tail - head + skipped;
  if (left_out == 0) return text;
  return text.substr(0, head) + "\n[... " + std::to_string(left_out) + " bytes left out ...]\n" +
         text.substr(tail);
}

}  // namespace npuprof
