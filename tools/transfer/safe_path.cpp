#include "transfer/safe_path.hpp"

#include <algorithm>
#include <array>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::size_t longest_name = 255;
constexpr std::size_t longest_path = 4000;

// What reads like '/' (or like "." where a decoder is careless) without being it.
constexpr std::array<std::string_view, 12> look_alikes = {
    "\xE2\x81\x84",  // U+2044 fraction slash
    "\xE2\x88\x95",  // U+2215 division slash
    "\xE2\xA7\xB8",  // U+29F8 big solidus
    "\xE2\xA7\xB6",  // U+29F6 solidus with overbar
    "\xEF\xBC\x8F",  // U+FF0F fullwidth solidus
    "\xEF\xBC\xBC",  // U+FF3C fullwidth reverse solidus
    "\xEF\xB9\xA8",  // U+FE68 small reverse solidus
    "\xE2\x88\x96",  // U+2216 set minus
    "\xE2\x95\xB1",  // U+2571 box drawings diagonal
    "\xE2\x80\xA4",  // U+2024 one dot leader
    "\xE2\x80\xA5",  // U+2025 two dot leader
    "\xEF\xBC\x8E",  // U+FF0E fullwidth full stop
};

// Lead bytes of UTF-8 sequences that can only be an over-long spelling of a shorter one.
bool has_overlong(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool tail = (next & 0xC0) == 0x80;
    if ((byte == 0xC0 || byte == 0xC1) && tail) return true;
    if (byte == 0xE0 && tail && next < 0xA0) return true;
    if (byte == 0xF0 && tail && next < 0x90) return true;
  }
  return false;
}

tl::unexpected<Error> unsafe(std::string_view raw, const std::string& why) {
  return fail({.code = codes::archive_unsafe,
               .message = "The name \"" + shown_path(raw) + "\" " + why + "; it was not written",
               .remedy =
                   "Look at who made this directory or archive; rename that file there if the "
                   "name is meant."});
}

}  // namespace

std::string shown_path(std::string_view path) {
  std::string shown = clean_host_text(path, 300);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return shown;
}

Result<std::string> safe_path(std::string_view raw, unsigned max_depth) {
  if (raw.size() > longest_path) return unsafe(raw, "is too long");
  if (!raw.empty() && raw.front() == '/') return unsafe(raw, "is absolute");
  if (raw.find('\0') != std::string_view::npos) return unsafe(raw, "holds a zero byte");
  if (raw.find('\\') != std::string_view::npos) return unsafe(raw, "holds a backslash");
  if (has_overlong(raw)) return unsafe(raw, "hides characters in over-long UTF-8");
  for (const auto look_alike : look_alikes) {
    if (raw.find(look_alike) != std::string_view::npos) {
      return unsafe(raw, "holds a character that looks like a path separator or a dot");
    }
  }
  std::string path;
  unsigned parts = 0;
  while (!raw.empty()) {
    const auto end = std::min(raw.find('/'), raw.size());
    const auto part = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") return unsafe(path + "/..", "leads out of its directory");
    if (part.size() > longest_name) return unsafe(part, "is longer than a file system takes");
    if (!path.empty()) path += '/';
    path += part;
    ++parts;
  }
  if (path.empty()) return unsafe(raw, "is empty");
  if (parts > max_depth + 1) return unsafe(path, "lies too deep");
  return path;
}

}  // namespace npuprof::transfer
