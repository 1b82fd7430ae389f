#include "evidence/content.hpp"

#include "evidence/decimal.hpp"

namespace npuprof::evidence {

std::string_view to_string(Content content) {
  switch (content) {
    case Content::unknown:
      return "unknown";
    case Content::empty:
      return "empty";
    case Content::text:
      return "text";
    case Content::git_lfs_pointer:
      return "Git-LFS pointer";
    case Content::utf16:
      return "UTF-16 text";
    case Content::gzip:
      return "gzip";
    case Content::zip:
      return "zip";
    case Content::sqlite:
      return "SQLite database";
    case Content::binary:
      return "binary data";
  }
  return "unknown";
}

Content content_of(std::string_view head) {
  using namespace std::literals;
  if (head.empty()) return Content::empty;
  if (head.starts_with("version https://git-lfs.github.com/spec/")) return Content::git_lfs_pointer;
  if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv)) return Content::utf16;
  if (head.starts_with("\x1F\x8B"sv)) return Content::gzip;
  if (head.starts_with("PK\x03\x04"sv)) return Content::zip;
  if (head.starts_with("SQLite format 3\0"sv)) return Content::sqlite;
  if (head.find('\0') != std::string_view::npos) return Content::binary;
  return Content::text;
}

GitLfsPointer read_pointer(std::string_view head) {
  GitLfsPointer pointer;
  const auto value = [&](std::string_view key) {
    const std::size_t at = head.find(key);
    if (at == std::string_view::npos) return std::string_view{};
    const std::string_view rest = head.substr(at + key.size());
    return trimmed(rest.substr(0, rest.find('\n')));
  };
  pointer.oid = std::string(value("\noid ").substr(0, 100));
  if (const auto bytes = integer(value("\nsize ")); bytes && *bytes >= 0) {
    pointer.bytes = static_cast<std::uint64_t>(*bytes);
  }
  return pointer;
}

}  // namespace npuprof::evidence
