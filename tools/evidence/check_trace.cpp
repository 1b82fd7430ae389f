#include <algorithm>

#include "core/host_text.hpp"
#include "evidence/findings.hpp"
#include "evidence/thresholds.hpp"

namespace npuprof::evidence {
namespace {

void check_whole(const SourceFile& file, Findings& findings) {
  const auto& trace = *file.trace;
  const Json evidence = {
      {"file", file.entry.path}, {"events", trace.events}, {"bytes", trace.bytes}};
  if (trace.whole) {
    findings.check(
        "trace_whole", CheckStatus::pass,
        file.entry.path + ": " + std::to_string(trace.events) + " events, read to the end",
        evidence);
    return;
  }
  Json more = evidence;
  more["whole_until_byte"] = trace.problem_at;
  more["problem"] = trace.problem;
  findings.check("trace_whole", CheckStatus::fail, file.entry.path + ": " + trace.problem, more);
  if (trace.truncated) {
    findings.anomaly(
        "TRUNCATED_TRACE", Severity::error,
        file.entry.path + ": " + trace.problem + " (" + std::to_string(trace.events) +
            " whole events before that).",
        std::move(more),
        "Compare its size with that on the host and fetch it again; if it is cut there "
        "too, the export was ended: run it again.");
  } else {
    findings.anomaly("UNREADABLE_FILE", Severity::error,
                     file.entry.path + ": " + trace.problem + ".", std::move(more),
                     "Fetch it again; if it is the same on the host, export again.");
  }
}

// Kernel times must lie where the trace says that the device worked.
void check_span(const Profile& profile, Findings& findings) {
  if (!profile.kernels || !profile.kernels->first_start_ns || !profile.trace) return;
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (const auto& [pid, process] : profile.trace->processes) {
    if (!process.first_ns) continue;
    first = std::min(first.value_or(*process.first_ns), *process.first_ns);
    last = std::max(last.value_or(*process.last_ns), *process.last_ns);
  }
  if (!first) return;
  const auto slack = thresholds.trace_span_slack_ns;
  const Json evidence = {{"kernels_first_ns", *profile.kernels->first_start_ns},
                         {"kernels_last_ns", *profile.kernels->last_end_ns},
                         {"trace_first_ns", *first},
                         {"trace_last_ns", *last}};
  if (*profile.kernels->first_start_ns >= *first - slack &&
      *profile.kernels->last_end_ns <= *last + slack) {
    findings.check("kernels_in_trace", CheckStatus::pass,
                   "all kernel times lie in the trace's span", evidence);
    return;
  }
  findings.check("kernels_in_trace", CheckStatus::warn, "kernel times lie outside the trace's span",
                 evidence);
  findings.anomaly("CLOCK_SKEW", Severity::warning,
                   "Kernel times lie outside the span of the trace: the two are of different "
                   "captures, or of clocks that disagree.",
                   evidence, "Don't line up kernels with host events in this profile.");
}

}  // namespace

void check_trace(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  bool whole = true;
  bool any = false;
  for (const SourceFile& file : profile.files) {
    if (file.place.kind != FileKind::trace || !file.trace || file.place.raw) continue;
    any = true;
    whole &= file.trace->whole;
    check_whole(file, findings);
    if (file.trace->oversized_events > 0) {
      findings.anomaly("UNREADABLE_FILE", Severity::warning,
                       file.entry.path + ": " + std::to_string(file.trace->oversized_events) +
                           " event(s) are larger than any that the profiler writes, and were not "
                           "read.",
                       {{"file", file.entry.path}, {"events", file.trace->oversized_events}},
                       "Export it again.");
    }
  }
  if (!any || !profile.trace) return;
  const TraceFacts& trace = *profile.trace;
  if (whole && trace.complete_events == 0 && profile.layout != Layout::loose) {
    findings.anomaly("EMPTY_TABLE", Severity::error, "The trace holds no event that took time.",
                     {{"metadata_events", trace.metadata_events}},
                     "Look into logs/ of the profile and run the export again; if it stays empty, "
                     "the profiler recorded nothing.");
  }
  if (trace.untimed_events > 0) {
    findings.anomaly(
        "UNREADABLE_ROWS", Severity::warning,
        std::to_string(trace.untimed_events) + " event(s) of the trace have no readable time.",
        {{"events", trace.untimed_events}}, "Export it again.");
  }
  if (whole) check_span(profile, findings);
}

// By the host's clock alone: when the run began against the times in the data.
void check_freshness(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  const auto& info = profile.info;
  std::optional<std::int64_t> newest;
  std::string source;
  const auto look = [&](std::optional<std::int64_t> time, const char* what) {
    if (!time || (newest && *newest >= *time)) return;
    newest = time;
    source = what;
  };
  if (info) look(info->end_ns, "the end of the capture in profiler_info.json");
  if (profile.kernels) look(profile.kernels->last_end_ns, "the last kernel");
  if (profile.database) look(profile.database->last_ns, "the last task");
  if (!newest && profile.trace) {
    for (const auto& [pid, process] : profile.trace->processes) {
      look(process.last_ns, "the last event of the trace");
    }
  }
  if (info && info->end_ns && profile.kernels && profile.kernels->last_end_ns) {
    const std::int64_t ahead = *profile.kernels->last_end_ns - *info->end_ns;
    if (ahead > thresholds.skew_ns || ahead < -24 * 60 * thresholds.skew_ns) {
      findings.anomaly(
          "CLOCK_SKEW", Severity::warning,
          "Kernel times and the end of the capture do not fit together.",
          {{"last_kernel_ns", *profile.kernels->last_end_ns}, {"capture_end_ns", *info->end_ns}},
          "Compare the device's times with the host's clock before lining them up.");
    }
  }
  if (!question.expected.run_began) return;
  const auto began = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         question.expected.run_began->time_since_epoch())
                         .count();
  for (const SourceFile& file : profile.files) {
    if (newest) break;
    look(file.modified_ns, "the newest file");
  }
  if (!newest) {
    findings.check("fresh", CheckStatus::unknown, "nothing in the output says when it was made");
    return;
  }
  Json evidence = {{"run_began_ns", began}, {"newest_ns", *newest}, {"newest", source}};
  const std::int64_t limit = began - thresholds.stale_slack_ns;
  for (const SourceFile& file : profile.files) {
    if (*newest < limit || file.place.raw || !file.place.in_output) continue;
    if (!file.modified_ns || *file.modified_ns >= limit) continue;
    newest = file.modified_ns;
    source = file.entry.path;
    evidence["oldest_file_ns"] = *newest;
    evidence["oldest_file"] = source;
  }
  if (*newest >= limit) {
    findings.check("fresh", CheckStatus::pass, "the output was made after the run began", evidence);
    return;
  }
  findings.check("fresh", CheckStatus::fail, "the output is older than the run", evidence);
  findings.anomaly("STALE_OUTPUT", Severity::error,
                   "The output is older than the run: it is of an earlier one (by " + source + ").",
                   evidence, "Clear the output folder and run again.");
}

}  // namespace npuprof::evidence
