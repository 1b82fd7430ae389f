#pragma once

#include <filesystem>
#include <vector>

#include "core/error.hpp"

namespace npuprof::fetch_artifact {

// The directory that a caller named to write to, made where it is missing: below one of `roots`,
// links followed before that is looked at. PATH_NOT_ALLOWED otherwise; nothing was made then.
Result<std::filesystem::path> output_directory(const std::string& named,
                                               const std::vector<std::filesystem::path>& roots);

}  // namespace npuprof::fetch_artifact
