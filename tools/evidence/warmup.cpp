#include "evidence/warmup.hpp"

#include <algorithm>

#include "evidence/thresholds.hpp"

namespace npuprof::evidence {
namespace {

bool is_compile(const WarmupEvidence& evidence) {
  return evidence.says == WarmupVerdict::not_stripped &&
         (evidence.kind == "compile_calls" || evidence.kind == "first_calls" ||
          evidence.kind == "dynamo" || evidence.kind == "first_kernel_gaps");
}

int weight_of(const EvidenceList& list, WarmupVerdict verdict) {
  int weight = 0;
  for (const auto& evidence : list) {
    if (evidence.says == verdict) weight += evidence.weight;
  }
  return weight;
}

WarmupVerdict weigh(const EvidenceList& list) {
  const bool decided = std::any_of(list.begin(), list.end(), [](const WarmupEvidence& evidence) {
    return evidence.says == WarmupVerdict::not_stripped && evidence.weight >= 3;
  });
  if (decided) return WarmupVerdict::not_stripped;
  const int against = weight_of(list, WarmupVerdict::not_stripped);
  const int in_favour = weight_of(list, WarmupVerdict::stripped);
  if (against >= 3 && against > in_favour) return WarmupVerdict::not_stripped;
  if (against >= 2 || in_favour < 2) return WarmupVerdict::unknown;
  return WarmupVerdict::stripped;
}

std::string why_not_assessable(const Question& question, const EvidenceList& list) {
  const Profile& profile = question.profile;
  if (weight_of(list, WarmupVerdict::not_stripped) > 0) return "the evidence is contradictory";
  if (question.level == "l0" || question.level == "none") {
    return "Level0 does not record the calls in which compiling shows";
  }
  if (!profile.has(FileKind::trace) && !profile.api) {
    return "there is neither a trace nor api_statistic.csv, in which compiling shows";
  }
  if (profile.trace && profile.trace->cann_calls == 0) {
    return "the trace does not show the calls in which compiling shows";
  }
  return "there is too little evidence";
}

}  // namespace

Warmup judge_warmup(const Question& question, Findings& findings) {
  EvidenceList list;
  add_step_evidence(question, list);
  add_compile_evidence(question, list);
  add_gap_evidence(question, list);

  Warmup warmup;
  warmup.verdict = weigh(list);
  Json against = Json::array();
  Json compiles = Json::array();
  std::size_t leading = 0;
  for (const auto& evidence : list) {
    const Json shown = {{"kind", evidence.kind},
                        {"says", to_string(evidence.says)},
                        {"weight", evidence.weight},
                        {"message", evidence.message},
                        {"figures", evidence.figures}};
    warmup.evidence.push_back(shown);
    if (evidence.says == WarmupVerdict::not_stripped) against.push_back(shown);
    if (evidence.kind == "step_times" && evidence.says == WarmupVerdict::not_stripped) {
      leading = evidence.figures.value("leading_long_steps", std::size_t{0});
    }
    if (is_compile(evidence)) compiles.push_back(shown);
  }
  if (!compiles.empty()) {
    findings.anomaly("COMPILE_IN_WINDOW", Severity::warning,
                     "Something was compiled while it was recorded: " +
                         compiles[0]["message"].get<std::string>() + ".",
                     {{"evidence", compiles}},
                     "Run more warm-up steps, with the very shapes of the window.");
  }

  if (warmup.verdict == WarmupVerdict::not_stripped) {
    const std::size_t steps = question.window_ids().size();
    const bool of_use =
        leading > 0 && steps >= leading + static_cast<std::size_t>(thresholds.min_settled_steps);
    findings.anomaly("WARMUP_NOT_STRIPPED", of_use ? Severity::warning : Severity::error,
                     "Warm-up is part of the recorded window.",
                     {{"evidence", against}, {"leading_long_steps", leading}},
                     of_use ? "Leave out the first " + std::to_string(leading) +
                                  " step(s), or profile again with more warm-up steps."
                            : "Profile again, with more warm-up steps before the profiler starts.");
    const bool warmed =
        question.expected.warmup_steps.value_or(0) > 0 || !question.expected.warmup_ms.empty();
    if (warmed) {
      findings.anomaly("WARMUP_INSUFFICIENT", Severity::warning,
                       "Warm-up steps were run, and were not enough.",
                       {{"warmup_steps", question.expected.warmup_steps.value_or(
                                             static_cast<int>(question.expected.warmup_ms.size()))},
                        {"warmup_ms", question.expected.warmup_ms}},
                       "Raise warmup_steps until the step times no longer fall.");
    }
  } else if (warmup.verdict == WarmupVerdict::unknown) {
    findings.anomaly("NOT_ASSESSABLE", Severity::info,
                     "Whether warm-up was kept out of the window can't be told: " +
                         why_not_assessable(question, list) + ".",
                     {{"what", "warmup"}, {"evidence", warmup.evidence.size()}},
                     "Profile at Level1 or above with at least " +
                         std::to_string(thresholds.min_window_steps) + " steps.");
  }
  return warmup;
}

}  // namespace npuprof::evidence
