#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace npuprof::transfer {

// One file that is at home: arrived whole, its SHA-256 the one the host gives for it.
struct ArtifactFile {
  std::string path;  // relative to Artifact::directory; the host's own bytes, maybe not UTF-8
  std::uint64_t bytes = 0;
  std::string sha256;
  std::int64_t modified_ns = 0;  // since the epoch, by the host's clock
};

// What the remote directory holds beside regular files (links, FIFOs, sockets, devices): named,
// never followed, never brought home.
struct LeftOut {
  std::string path;
  std::string reason;
};

// What a fetch brought home.
struct Artifact {
  std::filesystem::path archive_path;  // empty where no archive was asked for
  std::uint64_t archive_bytes = 0;
  std::string archive_sha256;
  std::filesystem::path directory;  // empty where the files were not to be unpacked
  std::uint64_t bytes = 0;          // sum of the files
  std::vector<ArtifactFile> files;  // sorted by path
  std::vector<LeftOut> left_out;
  std::string codec;                // what went over the wire: zstd | gzip | none | nothing
  std::string codec_reason;         // why, in words
  std::uint64_t wire_bytes = 0;     // received by this call, after the codec
  std::uint64_t fetched_bytes = 0;  // received by this call, before the codec
  std::uint64_t reused_bytes = 0;   // already verified at home when the call began
  double seconds = 0;               // of the transfer, without the archive
  double archive_seconds = 0;
};

// Names are cleaned for display; a name that is not UTF-8 is not the host's bytes any more.
void to_json(Json& out, const ArtifactFile& file);
void to_json(Json& out, const LeftOut& left_out);
void to_json(Json& out, const Artifact& artifact);

}  // namespace npuprof::transfer
