#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/error.hpp"
#include "transfer/artifact.hpp"

namespace npuprof::transfer {

struct UnpackLimits {
  std::uint64_t max_bytes = 64ULL << 30;  // sum of the files
  std::uint64_t max_files = 1'000'000;
  unsigned max_depth = 32;   // directories above a file
  double max_ratio = 1'000;  // unpacked to packed bytes, looked at beyond the first 64 MB
};

struct Unpacked {
  std::uint64_t bytes = 0;
  std::vector<ArtifactFile> files;  // sorted by path
  std::vector<LeftOut> left_out;    // links that stay inside the archive
};

// Unpacks a tar archive of this machine (plain, gzip, zstd, xz, bzip2) into `directory`, which must
// not exist: it appears whole or not at all. Trusts nothing in the archive: ARCHIVE_UNSAFE for an
// absolute path, "..", a link that leads out, a device or FIFO, a name with a look-alike of '/', a
// second file of the same path, or more than `limits`; ARCHIVE_BROKEN where it is cut or altered.
// Nothing is ever written through a link; setuid, setgid and execute bits are dropped.
Result<Unpacked> unpack(const std::filesystem::path& archive,
                        const std::filesystem::path& directory, const UnpackLimits& limits = {},
                        const std::stop_token& stop = {});

}  // namespace npuprof::transfer
