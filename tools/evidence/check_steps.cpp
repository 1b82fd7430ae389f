#include <algorithm>

#include "evidence/findings.hpp"
#include "evidence/thresholds.hpp"

namespace npuprof::evidence {
namespace {

Json short_list(const std::vector<std::int64_t>& ids) {
  Json list = Json::array();
  for (const auto id : ids) {
    if (list.size() < 40) list.push_back(id);
  }
  return list;
}

// Steps that one table knows and another does not.
void check_sources_agree(const Profile& profile, Findings& findings) {
  if (!profile.kernels || profile.kernels->steps.empty() || !profile.steps) return;
  if (profile.kernels->steps_cut || profile.steps->cut) return;
  std::vector<std::int64_t> kernels;
  for (const auto& [id, rest] : profile.kernels->steps) kernels.push_back(id);
  std::vector<std::int64_t> times;
  for (const auto& step : profile.steps->steps) {
    if (step.step) times.push_back(*step.step);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (kernels == times || (times.empty() && !profile.steps->steps.empty())) return;
  findings.anomaly(
      "STEP_COUNT_MISMATCH", Severity::warning,
      "kernel_details.csv and step_trace_time.csv do not speak of the same steps.",
      {{"kernel_details", short_list(kernels)}, {"step_trace_time", short_list(times)}},
      "Run the export again.");
}

// No step is marked. With NPU activity alone the profiler marks none; then only how often each
// kernel comes can tell.
void check_unmarked(const Question& question, std::optional<int> asked, const std::string& asked_by,
                    Findings& findings) {
  if (!asked) {
    findings.check("steps_found", CheckStatus::skip, "the data is not divided into steps");
    return;
  }
  const bool should_be_marked = question.activities_known && question.cpu;
  const std::uint64_t repeats = kernel_repeats(question.profile);
  const Json evidence = {{"asked", *asked}, {"asked_by", asked_by}, {"kernel_repeats", repeats}};
  if (should_be_marked) {
    findings.check("steps_found", CheckStatus::fail, "no step is marked in the data", evidence);
    findings.anomaly(
        "STEP_COUNT_MISMATCH", Severity::error,
        "No step is marked in the data, " + std::to_string(*asked) + " were asked for.", evidence,
        "Call prof.step() at the end of each step.");
    return;
  }
  const auto wanted = static_cast<std::uint64_t>(std::max(*asked, 1));
  if (repeats > 0 && repeats % wanted == 0) {
    findings.check("steps_found", CheckStatus::pass,
                   "steps are not marked without CPU activity; every kernel comes a multiple of " +
                       std::to_string(*asked) + " times, as it should",
                   evidence);
  } else if (repeats >= thresholds.min_kernel_repeats) {
    findings.check("steps_found", CheckStatus::fail,
                   "kernels do not come once for each step asked for", evidence);
    findings.anomaly("STEP_COUNT_MISMATCH", Severity::warning,
                     "Every kernel comes a multiple of " + std::to_string(repeats) +
                         " times, but " + std::to_string(*asked) +
                         " recorded steps were asked for.",
                     evidence, "Record CPU activity too, so that steps are marked.");
  } else {
    findings.check("steps_found", CheckStatus::unknown,
                   "steps are not marked without CPU activity, and the kernels do not tell",
                   evidence);
  }
}

}  // namespace

void check_steps(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  const Expectations& expected = question.expected;
  check_sources_agree(profile, findings);

  if (profile.kernels && profile.kernels->blank_step_rows > 0) {
    const KernelFacts& kernels = *profile.kernels;
    const double all =
        kernels.compute.duration_us + kernels.communication.duration_us + kernels.blank_step_us;
    const double share = all > 0 ? kernels.blank_step_us / all : 1.0;
    findings.anomaly("SPILLOVER_ROWS",
                     share > thresholds.spillover_share ? Severity::warning : Severity::info,
                     std::to_string(kernels.blank_step_rows) +
                         " kernel row(s) belong to no step: work from before the window that ended "
                         "inside it. They are left out of every figure here.",
                     {{"rows", kernels.blank_step_rows},
                      {"duration_us", kernels.blank_step_us},
                      {"share", share}},
                     "Leave out rows with a blank Step Id; synchronise before the window opens.");
  }

  std::optional<int> asked;
  std::string asked_by;
  if (expected.active_steps) {
    asked = *expected.active_steps + question.guard_steps;
    asked_by = "the run";
  } else if (profile.info && profile.info->schedule && profile.info->schedule->active > 0) {
    asked = profile.info->schedule->active;
    asked_by = "profiler_info.json";
  }
  const auto found = static_cast<int>(question.step_ids.size());
  const bool readable = profile.kernels || profile.steps || profile.trace || profile.database;
  if (!readable) return;
  if (found == 0) return check_unmarked(question, asked, asked_by, findings);
  const Json evidence = {{"asked", asked ? Json(*asked) : Json()},
                         {"asked_by", asked_by.empty() ? Json() : Json(asked_by)},
                         {"found", found},
                         {"guard_steps", question.guard_steps},
                         {"source", question.step_source},
                         {"step_ids", short_list(question.step_ids)}};
  if (asked && *asked != found) {
    findings.check("steps_found", CheckStatus::fail,
                   std::to_string(*asked) + " steps asked for, " + std::to_string(found) + " found",
                   evidence);
    findings.anomaly("STEP_COUNT_MISMATCH", Severity::warning,
                     std::to_string(*asked) + " recorded steps were asked for (" + asked_by +
                         "), " + std::to_string(found) + " are in the data.",
                     evidence,
                     found < *asked
                         ? "The workload ended early, or the profiler lost steps: look at "
                           "its log, add spare steps, profile again."
                         : "Steps of another part of the workload were recorded too: use "
                           "only the window's.");
  } else if (asked) {
    findings.check("steps_found", CheckStatus::pass,
                   "all " + std::to_string(found) + " step(s) asked for are in the data", evidence);
  } else {
    findings.check("steps_found", CheckStatus::skip,
                   std::to_string(found) + " step(s); how many were asked for is not known",
                   evidence);
  }

  const auto window = static_cast<int>(question.window_ids().size());
  const int wanted = expected.active_steps.value_or(thresholds.min_window_steps);
  if (window < std::min(wanted, thresholds.min_window_steps) ||
      (expected.active_steps && window < *expected.active_steps)) {
    const bool fewer_than_asked = asked && found < *asked;
    findings.anomaly("TOO_FEW_STEPS", fewer_than_asked ? Severity::warning : Severity::info,
                     "The window has " + std::to_string(window) +
                         " step(s): too few for a spread, or to compare the first with the rest.",
                     {{"window_steps", window}, {"wanted", wanted}},
                     "Record at least " + std::to_string(thresholds.min_window_steps) + " steps.");
  }
}

}  // namespace npuprof::evidence
