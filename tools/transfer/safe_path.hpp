#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace npuprof::transfer {

// Settles a name that came from a host or an archive as a path that stays below the directory it is
// put in: "./" and doubled slashes are taken out. ARCHIVE_UNSAFE, naming it and why, for an empty
// or absolute path, "..", a backslash, a NUL, a look-alike of '/' or '.' (Unicode, or UTF-8 that
// is longer than it need be), a part over 255 bytes, more than `max_depth` directories.
Result<std::string> safe_path(std::string_view raw, unsigned max_depth);

// The path as it may be shown: one line, cleaned, at most 300 bytes.
std::string shown_path(std::string_view path);

}  // namespace npuprof::transfer
