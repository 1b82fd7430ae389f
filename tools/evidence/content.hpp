#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::evidence {

// What a file is by its first bytes, whatever its name says.
enum class Content { unknown, empty, text, git_lfs_pointer, utf16, gzip, zip, sqlite, binary };

std::string_view to_string(Content content);

// `head` holds the first bytes of the file, 512 where it has as many.
Content content_of(std::string_view head);

struct GitLfsPointer {
  std::string oid;
  std::optional<std::uint64_t> bytes;  // of the file that is not there
};
GitLfsPointer read_pointer(std::string_view head);

}  // namespace npuprof::evidence
