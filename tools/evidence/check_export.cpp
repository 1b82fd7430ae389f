#include "evidence/findings.hpp"

namespace npuprof::evidence {

// Did the capture end, was it exported, and did the export complain?
void check_export(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  if (profile.layout == Layout::torch_npu) {
    if (profile.has_raw_data && !profile.info) {
      findings.check("capture_finished", CheckStatus::fail,
                     "raw data without profiler_info.json: the process ended while it recorded");
      findings.anomaly(
          "KILLED_MID_CAPTURE", Severity::error,
          "The process ended in the middle of the capture: the profiler writes profiler_info.json "
          "when it stops, and there is none.",
          {{"profile", profile.label()}},
          "Find out what ended the workload (its log, the kernel's out-of-memory messages) and "
          "profile again.");
    } else if (profile.info) {
      findings.check(
          "capture_finished", profile.info->readable ? CheckStatus::pass : CheckStatus::warn,
          profile.info->readable ? "the profiler stopped in its own time"
                                 : "profiler_info.json can't be read: " + profile.info->problem);
    }
    const bool exported = profile.has_output_folder || profile.has_data();
    if (!exported && profile.has_raw_data && profile.info) {
      findings.check("exported", CheckStatus::fail, "only raw data: it was not exported");
      findings.anomaly("EXPORT_FAILED", Severity::error,
                       "The raw data is there, ASCEND_PROFILER_OUTPUT is not: the export was not "
                       "made or failed.",
                       {{"profile", profile.label()}, {"errors", profile.logs.first_errors}},
                       "Run torch_npu.profiler.profiler.analyse on the folder, on a machine with "
                       "CANN.");
      return;
    }
  }
  if (profile.logs.errors == 0) return;
  findings.check("export_log", CheckStatus::warn, "the profiler's logs hold errors",
                 {{"errors", profile.logs.errors}, {"first", profile.logs.first_errors}});
  findings.anomaly("EXPORT_FAILED", Severity::warning,
                   "The profiler's own logs hold " + std::to_string(profile.logs.errors) +
                       " error(s), whatever its last line says.",
                   {{"errors", profile.logs.errors}, {"first", profile.logs.first_errors}},
                   "Read logs/ in the profile; run the export again.");
}

}  // namespace npuprof::evidence
