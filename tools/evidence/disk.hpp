#pragma once

#include <filesystem>
#include <stop_token>

#include "evidence/collection.hpp"

namespace npuprof::evidence {

// Feeds every file below `root` (or `root` itself where it is a file) to the collection. Symbolic
// links are not followed. False where a stop ended it, or the tree is not there; what was not read
// is then marked so.
bool collect_from_disk(const std::filesystem::path& root, Collection& collection,
                       const std::stop_token& stop);

}  // namespace npuprof::evidence
