#include "evidence/findings.hpp"

namespace npuprof::evidence {

// The same communication kernels in the table, in the trace and in communication.json.
void check_communication(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  if (!profile.kernels || profile.kernels->blank_step_rows > 0) return;
  const std::uint64_t rows = profile.kernels->communication.rows;
  Json evidence = {{"kernel_details_rows", rows}};
  bool agree = true;
  bool compared = false;
  const SourceFile* trace = profile.file(FileKind::trace);
  if (trace != nullptr && trace->trace && trace->trace->whole && profile.trace) {
    std::uint64_t events = 0;
    bool found = false;
    for (const auto& [pid, process] : profile.trace->processes) {
      if (process.name != "HCCL" && process.name != "Communication") continue;
      found = true;
      events += process.communication_kernels;
    }
    if (found || rows > 0) {
      compared = true;
      evidence["trace_events"] = events;
      agree &= events == rows;
    }
  }
  if (profile.communication && profile.communication->whole) {
    compared = true;
    evidence["communication_json_operations"] = profile.communication->operations;
    agree &= profile.communication->operations == rows;
  }
  if (!compared) return;
  if (agree) {
    findings.check("communication", CheckStatus::pass,
                   rows == 0 ? "no communication, in any of the files"
                             : "the files hold the same communication kernels",
                   evidence);
    return;
  }
  findings.check("communication", CheckStatus::warn,
                 "the files do not hold the same communication kernels", evidence);
  findings.anomaly(
      "TOTALS_DISAGREE", Severity::info,
      "kernel_details.csv, the trace and communication.json do not hold the same number "
      "of communication kernels.",
      evidence, "Run the export again before communication is analysed.");
}

// The counters that a fusion analysis reads.
void check_pmu(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  if (!profile.kernels || profile.kernels->rows == 0) return;
  const KernelFacts& kernels = *profile.kernels;
  Json families = Json::object();
  Json missing = Json::array();
  bool any_value = false;
  for (const char* family : {"vec", "mac", "mte2", "mte3"}) {
    const auto found = kernels.pmu_families.find(family);
    const bool present = found != kernels.pmu_families.end();
    families[family] = !present ? "no column" : found->second ? "values" : "only N/A";
    any_value |= present && found->second;
    if (!present || !found->second) missing.push_back(family);
  }
  const Json evidence = {{"families", families},
                         {"aic_metrics", profile.info ? Json(profile.info->aic_metrics) : Json()}};
  if (missing.empty()) {
    findings.check("pmu_columns", CheckStatus::pass,
                   "the counters of the vec, mac, mte2 and mte3 families hold values", evidence);
    return;
  }
  std::uint64_t core_rows = 0;
  for (const auto& [core, rows] : kernels.cores) {
    if (core.find("AI_CORE") != std::string::npos || core.find("VECTOR") != std::string::npos ||
        core.starts_with("MIX_AI")) {
      core_rows += rows;
    }
  }
  const bool wanted = question.pmu_wanted && question.level != "l0" && question.level != "none";
  const bool blank = kernels.has_pmu_columns && !kernels.pmu_families.empty() && !any_value;
  if ((wanted && !kernels.has_pmu_columns) || (blank && core_rows > 0)) {
    findings.check("pmu_columns", CheckStatus::fail,
                   "the counters were asked for and hold no values", evidence);
    findings.anomaly("PMU_NOT_COLLECTED", Severity::warning,
                     kernels.has_pmu_columns
                         ? "The counter columns are there, but all of them are N/A."
                         : "Counters were asked for, and kernel_details.csv has no column of them.",
                     evidence,
                     "Another profiler may hold the counters; end it, set aic_metrics to "
                     "PipeUtilization and profile again.");
    return;
  }
  findings.check(
      "pmu_columns", CheckStatus::skip,
      kernels.has_pmu_columns
          ? "another set of counters was recorded; a fusion analysis needs PipeUtilization"
          : "no counters were recorded; a fusion analysis needs PipeUtilization",
      evidence);
}

}  // namespace npuprof::evidence
