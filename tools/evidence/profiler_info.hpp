#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuprof::evidence {

struct ProfilerSchedule {
  int wait = 0;
  int warmup = 0;
  int active = 0;
  int repeat = 0;
  int skip_first = 0;
  int skip_first_wait = 0;

  // The number of the first recorded step: the profiler counts all steps.
  std::int64_t first_step() const {
    return std::int64_t{skip_first} + (skip_first_wait != 0 ? 0 : wait) + warmup;
  }
};

// profiler_info.json or profiler_info_<rank>.json, old keys and new.
struct ProfilerInfo {
  bool readable = false;
  std::string problem;  // why not
  std::optional<ProfilerSchedule> schedule;
  std::string level;                      // "l0", "l1", "l2", "none"; "" where it is not said
  std::string aic_metrics;                // "ACL_AICORE_PIPE_UTILIZATION"
  std::vector<std::string> activities;    // "cpu", "npu"
  std::vector<std::string> export_types;  // "text", "db"; empty: releases that know only text
  std::optional<int> rank;
  std::optional<std::int64_t> end_ns;  // when the capture ended, by the host's clock
  std::string torch_npu_version;
  std::string cann_version;
  bool old_keys = false;  // "_wait" and the like, or no start_info: a release of 2023
  bool profile_memory = false;

  bool has_activity(std::string_view name) const;
  bool exports_text() const;
  bool exports_db() const;
};

ProfilerInfo read_profiler_info(std::string_view text);

}  // namespace npuprof::evidence
