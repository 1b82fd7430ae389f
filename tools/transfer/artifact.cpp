#include "transfer/artifact.hpp"

#include "core/clock.hpp"
#include "transfer/safe_path.hpp"

namespace npuprof::transfer {

void to_json(Json& out, const ArtifactFile& file) {
  const Clock::System::time_point modified{std::chrono::duration_cast<Clock::System::duration>(
      std::chrono::nanoseconds(file.modified_ns))};
  out = {{"path", shown_path(file.path)},
         {"bytes", file.bytes},
         {"sha256", file.sha256},
         {"modified", to_iso8601(modified)}};
}

void to_json(Json& out, const LeftOut& left_out) {
  out = {{"path", shown_path(left_out.path)}, {"reason", left_out.reason}};
}

void to_json(Json& out, const Artifact& artifact) {
  out = {{"archive_path", artifact.archive_path.string()},
         {"archive_bytes", artifact.archive_bytes},
         {"archive_sha256", artifact.archive_sha256},
         {"directory", artifact.directory.string()},
         {"bytes", artifact.bytes},
         {"files", artifact.files},
         {"left_out", artifact.left_out},
         {"codec", artifact.codec},
         {"codec_reason", artifact.codec_reason},
         {"wire_bytes", artifact.wire_bytes},
         {"fetched_bytes", artifact.fetched_bytes},
         {"reused_bytes", artifact.reused_bytes},
         {"seconds", artifact.seconds},
         {"archive_seconds", artifact.archive_seconds}};
}

}  // namespace npuprof::transfer
