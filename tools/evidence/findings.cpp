#include "evidence/findings.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "evidence/thresholds.hpp"

namespace npuprof::evidence {
namespace {

int badness(CheckStatus status) {
  switch (status) {
    case CheckStatus::fail:
      return 4;
    case CheckStatus::warn:
      return 3;
    case CheckStatus::unknown:
      return 2;
    case CheckStatus::pass:
      return 1;
    case CheckStatus::skip:
      return 0;
  }
  return 4;
}

std::vector<std::int64_t> ids_of(const auto& steps) {
  std::vector<std::int64_t> ids;
  for (const auto& [id, rest] : steps) ids.push_back(id);
  return ids;
}

}  // namespace

std::vector<std::int64_t> Question::window_ids() const {
  if (expected.first_step_id) {
    const auto first = std::lower_bound(step_ids.begin(), step_ids.end(), *expected.first_step_id);
    if (first != step_ids.end()) return {first, step_ids.end()};
  }
  const auto guards = std::min(static_cast<std::size_t>(std::max(guard_steps, 0)), step_ids.size());
  return {step_ids.begin() + static_cast<long>(guards), step_ids.end()};
}

std::uint64_t kernel_repeats(const Profile& profile) {
  if (!profile.kernels || !profile.kernels->types.complete()) return 0;
  const auto& types = profile.kernels->types.values();
  if (types.size() < thresholds.min_kernel_types) return 0;
  std::uint64_t repeats = 0;
  for (const auto& [type, sums] : types) repeats = std::gcd(repeats, sums.rows);
  return repeats;
}

Question question_of(const Profile& profile, const Expectations& expected) {
  Question question{.profile = profile, .expected = expected};
  const auto& info = profile.info;
  const bool informed = info && info->readable;
  // What the profiler noted of itself counts before what was asked of it.
  const auto holds = [](const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (informed && !info->level.empty()) {
    question.level = info->level;
  } else if (expected.level) {
    question.level = *expected.level;
  }
  if (informed && !info->activities.empty()) {
    question.activities_known = true;
    question.npu = info->has_activity("npu");
    question.cpu = info->has_activity("cpu");
  } else if (expected.activities) {
    question.activities_known = true;
    question.npu = holds(*expected.activities, "npu");
    question.cpu = holds(*expected.activities, "cpu");
  }
  if (informed) {
    question.text = info->exports_text();
    question.database = info->exports_db();
    question.pmu_wanted = !info->aic_metrics.empty() && !info->aic_metrics.ends_with("AICORE_NONE");
  }
  question.guard_steps = expected.guard_steps.value_or(0);

  if (profile.kernels && !profile.kernels->steps.empty()) {
    question.step_ids = ids_of(profile.kernels->steps);
    question.step_source = "kernel_details.csv";
  } else if (profile.steps) {
    std::set<std::int64_t> ids;
    for (const auto& step : profile.steps->steps) {
      if (step.step) ids.insert(*step.step);
    }
    question.step_ids.assign(ids.begin(), ids.end());
    question.step_source = "step_trace_time.csv";
  }
  if (question.step_ids.empty() && profile.trace) {
    question.step_ids = ids_of(profile.trace->steps);
    question.step_source = "trace_view.json";
  }
  if (question.step_ids.empty() && profile.database) {
    question.step_ids = ids_of(profile.database->step_us);
    question.step_source = "the database";
  }
  return question;
}

void Findings::check(std::string id, CheckStatus status, std::string message, Json evidence,
                     std::string remedy) {
  checks_.push_back({.id = std::move(id),
                     .status = status,
                     .message = std::move(message),
                     .evidence = std::move(evidence),
                     .remedy = std::move(remedy)});
}

void Findings::anomaly(std::string code, Severity severity, std::string message, Json evidence,
                       std::string remedy) {
  anomalies_.push_back({.code = std::move(code),
                        .severity = severity,
                        .message = std::move(message),
                        .evidence = std::move(evidence),
                        .remedy = std::move(remedy)});
}

bool Findings::has(std::string_view code) const {
  return std::any_of(anomalies_.begin(), anomalies_.end(),
                     [&](const Anomaly& anomaly) { return anomaly.code == code; });
}

void Findings::merge(const Findings& other, const std::string& label, bool several) {
  for (Check check : other.checks_) {
    if (several)
      check.evidence = Json{{label,
                             {{"status", to_string(check.status)},
                              {"message", check.message},
                              {"evidence", check.evidence}}}};
    const auto same = std::find_if(checks_.begin(), checks_.end(),
                                   [&](const Check& known) { return known.id == check.id; });
    if (same == checks_.end()) {
      if (several && check.status != CheckStatus::pass) {
        check.message = label + ": " + check.message;
      }
      checks_.push_back(std::move(check));
      continue;
    }
    if (several && same->evidence.is_object() && same->evidence.size() < 16) {
      same->evidence.update(check.evidence);
    }
    if (badness(check.status) > badness(same->status)) {
      same->status = check.status;
      same->message = several ? label + ": " + check.message : check.message;
      same->remedy = check.remedy;
    }
  }
  for (Anomaly anomaly : other.anomalies_) {
    if (several) anomaly.evidence["profile"] = label;
    anomalies_.push_back(std::move(anomaly));
  }
}

}  // namespace npuprof::evidence
