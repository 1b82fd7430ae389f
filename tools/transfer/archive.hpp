#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "transfer/artifact.hpp"

namespace npuprof::transfer {

struct PackedArchive {
  std::uint64_t bytes = 0;
  std::string sha256;
};

// Packs `files` of `directory` into the tar.gz `archive`, replacing it whole or not at all (0444).
// The same names and contents give the same bytes (as long as zlib is the same): sorted names
// below `prefix`, owners 0/0, mode 0644, one fixed time. Every file is hashed on the way:
// CHECKSUM_MISMATCH where it is not the one that was verified. Compresses with `threads` threads
// (0: one a core). `done` is told the bytes that went in, from the calling thread.
Result<PackedArchive> pack_archive(const std::filesystem::path& directory,
                                   std::vector<ArtifactFile> files, const std::string& prefix,
                                   const std::filesystem::path& archive, unsigned threads = 0,
                                   const std::function<void(std::uint64_t)>& done = {},
                                   const std::stop_token& stop = {});

}  // namespace npuprof::transfer
