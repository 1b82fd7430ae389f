#include "evidence/assessment.hpp"

namespace npuprof::evidence {
namespace fs = std::filesystem;

std::string_view to_string(WarmupVerdict verdict) {
  switch (verdict) {
    case WarmupVerdict::stripped:
      return "stripped";
    case WarmupVerdict::not_stripped:
      return "not_stripped";
    case WarmupVerdict::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view to_string(Trust trust) {
  switch (trust) {
    case Trust::trusted:
      return "trusted";
    case Trust::usable_with_care:
      return "usable_with_care";
    case Trust::unusable:
      return "unusable";
    case Trust::unknown:
      return "unknown";
  }
  return "unknown";
}

void to_json(Json& out, const FileEntry& file) {
  out = {{"name", file.name}, {"path", file.path}, {"bytes", file.bytes}};
  out["rows"] = file.rows ? Json(*file.rows) : Json(nullptr);
}

void to_json(Json& out, const Assessment& assessment) {
  out = {
      {"checks", assessment.checks},
      {"anomalies", assessment.anomalies},
      {"files", assessment.files},
      {"warmup",
       {{"verdict", to_string(assessment.warmup.verdict)},
        {"evidence", assessment.warmup.evidence}}},
      {"verdict",
       {{"trust", to_string(assessment.verdict.trust)}, {"reasons", assessment.verdict.reasons}}},
      {"summary", assessment.summary}};
}

Assessment assess(const fs::path& directory, const Expectations&, const std::stop_token& stop) {
  Assessment result;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (stop.stop_requested()) break;
    if (at->is_symlink(error) || !at->is_regular_file(error)) continue;
    result.files.push_back({.name = at->path().filename().string(),
                            .path = at->path().lexically_relative(directory).generic_string(),
                            .bytes = at->file_size(error),
                            .rows = {}});
  }
  result.verdict.reasons.push_back("nothing was read yet");
  return result;
}

}  // namespace npuprof::evidence
