#pragma once

#include <filesystem>
#include <string_view>

#include "core/error.hpp"

namespace npuprof {

// Replaces a file of this machine: written beside it under a temporary name, synced, renamed, so
// that a reader sees the old content or the new, and a crash leaves either. Removes the temporary
// file on failure.
Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          unsigned mode = 0600);

// Reads a whole file of this machine; TOO_LARGE beyond `limit` bytes.
Result<std::string> read_local_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace npuprof
