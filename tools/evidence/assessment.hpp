#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/json.hpp"

namespace npuprof::evidence {

// What the profile should hold, as far as the caller knows. Everything is optional; what is absent
// is taken from profiler_info where that says it, and is not judged otherwise.
struct Expectations {
  std::optional<std::string> level;                    // "l0", "l1", "l2"
  std::optional<std::vector<std::string>> activities;  // "npu", "cpu"
  std::optional<int> warmup_steps;                     // steps run before anything was recorded
  std::optional<int> guard_steps;             // recorded before the window, left out of the verdict
  std::optional<int> active_steps;            // steps of the window
  std::optional<std::int64_t> first_step_id;  // of the window's first step, after the guard steps
  std::optional<std::vector<int>> ranks;      // ranks that record
  std::optional<std::chrono::system_clock::time_point> run_began;  // by the host's clock
  std::vector<double> warmup_ms;  // the runner's own step times, by phase
  std::vector<double> guard_ms;
  std::vector<double> step_ms;
  std::optional<std::string> way;  // "script", "entry", "hook", "service"
  bool simulated = false;          // the data is no NPU's; said in the verdict's reasons
};

struct FileEntry {
  std::string name;  // "kernel_details.csv"
  std::string path;  // relative to the assessed directory, with '/'
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t>
      rows;  // records of a table, events of a trace; none where not counted
};

enum class WarmupVerdict { stripped, not_stripped, unknown };
std::string_view to_string(WarmupVerdict verdict);

struct Warmup {
  WarmupVerdict verdict = WarmupVerdict::unknown;
  Json evidence = Json::array();  // [{kind, says, weight, message, figures}]
};

enum class Trust { trusted, usable_with_care, unusable, unknown };
std::string_view to_string(Trust trust);

struct Verdict {
  Trust trust = Trust::unknown;
  std::vector<std::string> reasons;
};

struct Assessment {
  std::vector<Check> checks;
  std::vector<Anomaly> anomalies;  // worst first
  std::vector<FileEntry> files;    // by path; symbolic links are not followed
  Warmup warmup;
  bool simulated = false;  // as expected, or as the data says itself: not part of to_json
  Verdict verdict;
  Json summary = Json::object();  // schema of tools.md; a figure that can't be told is null
  Json details = Json::object();  // more figures, for the report alone: not part of to_json
};

// Reads the CANN output below `directory` (one or several *_ascend_pt, a bare
// ASCEND_PROFILER_OUTPUT, msprof's own layout, loose files, or one file) and judges it. Never
// throws for what a file holds; memory is bounded whatever the sizes. Takes about a second a
// gigabyte. A stop request ends the reading: what was not read is then `unknown`, never `pass`.
Assessment assess(const std::filesystem::path& directory, const Expectations& expectations = {},
                  const std::stop_token& stop = {});

// {"checks", "anomalies", "files", "warmup", "verdict", "summary"}
void to_json(Json& out, const Assessment& assessment);
void to_json(Json& out, const FileEntry& file);

}  // namespace npuprof::evidence
