#include "evidence/assessment.hpp"

#include <algorithm>

#include "evidence/disk.hpp"
#include "evidence/findings.hpp"
#include "evidence/profile.hpp"
#include "evidence/summary.hpp"
#include "evidence/verdict.hpp"
#include "evidence/warmup.hpp"

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

namespace {

int rank_of_severity(Severity severity) {
  return severity == Severity::error ? 0 : severity == Severity::warning ? 1 : 2;
}

// Worst verdict over the profiles: one that leaked speaks for all, one that can't be told hides
// all.
WarmupVerdict worse(WarmupVerdict a, WarmupVerdict b) {
  const auto badness = [](WarmupVerdict verdict) {
    return verdict == WarmupVerdict::not_stripped ? 2 : verdict == WarmupVerdict::unknown ? 1 : 0;
  };
  return badness(a) >= badness(b) ? a : b;
}

void check_ranks(const std::vector<Profile>& profiles, const Expectations& expected,
                 Findings& findings) {
  if (!expected.ranks) return;
  std::vector<int> found;
  std::size_t unranked = 0;
  for (const Profile& profile : profiles) {
    if (!profile.has_data()) continue;
    if (profile.info && profile.info->rank) {
      found.push_back(*profile.info->rank);
    } else {
      ++unranked;
    }
  }
  std::vector<int> missing;
  for (const int rank : *expected.ranks) {
    if (std::find(found.begin(), found.end(), rank) == found.end()) missing.push_back(rank);
  }
  // A single process writes no rank.
  if (missing.size() == 1 && unranked == 1 && expected.ranks->size() == 1 && found.empty()) {
    missing.clear();
  }
  const Json evidence = {{"asked", *expected.ranks}, {"found", found}, {"missing", missing}};
  if (missing.empty()) {
    findings.check("ranks_found", CheckStatus::pass, "every rank that records has output",
                   evidence);
    return;
  }
  findings.check("ranks_found", CheckStatus::fail, "ranks without output", evidence);
  findings.anomaly("RANK_MISSING", Severity::error,
                   std::to_string(missing.size()) + " rank(s) that should record have no output.",
                   evidence, "Look into the ranks' own logs, and profile again.");
}

}  // namespace

Assessment assess(const fs::path& directory, const Expectations& expectations,
                  const std::stop_token& stop) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(directory, error);
  Collection collection(root.filename().string());
  const bool all_read = collect_from_disk(error ? directory : root, collection, stop);
  return conclude(collection.take(), expectations, all_read);
}

Assessment conclude(const std::vector<Profile>& profiles, const Expectations& expectations,
                    bool all_read) {
  std::vector<const Profile*> judged;
  for (const Profile& profile : profiles) {
    if (profile.has_data() || profile.info || profile.has_raw_data || profile.has_output_folder ||
        profile.layout == Layout::torch_npu) {
      judged.push_back(&profile);
    }
  }
  Assessment result;
  Findings all;
  Completeness completeness{.all_read = all_read, .whole_profile = !judged.empty()};
  std::vector<Question> questions;
  for (const Profile* profile : judged) {
    const Question& question = questions.emplace_back(question_of(*profile, expectations));
    completeness.any_data |= profile->has_data();
    const bool tables = profile->kernels && (profile->trace || profile->api);
    completeness.whole_profile &=
        profile->layout != Layout::loose && (tables || profile->database.has_value());
    Findings findings;
    check_export(question, findings);
    check_files(question, findings);
    check_tables(question, findings);
    check_trace(question, findings);
    check_freshness(question, findings);
    check_steps(question, findings);
    check_totals(question, findings);
    check_communication(question, findings);
    check_pmu(question, findings);
    const Warmup warmup = judge_warmup(question, findings);
    const bool several = judged.size() > 1;
    result.warmup.verdict =
        questions.size() == 1 ? warmup.verdict : worse(result.warmup.verdict, warmup.verdict);
    for (Json evidence : warmup.evidence) {
      if (several) evidence["profile"] = profile->label();
      result.warmup.evidence.push_back(std::move(evidence));
    }
    all.merge(findings, profile->label(), several);
  }
  if (judged.empty()) {
    all.check("files_there", CheckStatus::unknown, "no profile data is here");
    all.anomaly("NOT_ASSESSABLE", Severity::warning, "There is no profile data here to judge.",
                {{"what", "everything"}},
                "Give the folder that holds *_ascend_pt, ASCEND_PROFILER_OUTPUT or "
                "mindstudio_profiler_output.");
  }
  check_ranks(profiles, expectations, all);
  if (!all_read) {
    all.check("all_read", CheckStatus::unknown, "reading was stopped, or the folder can't be read");
  }
  for (const Profile& profile : profiles) {
    for (const SourceFile& file : profile.files) result.files.push_back(file.entry);
  }
  std::sort(result.files.begin(), result.files.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
  result.simulated =
      expectations.simulated ||
      std::any_of(profiles.begin(), profiles.end(), [](const Profile& p) { return p.simulated; });
  result.verdict = judge(all, result.warmup.verdict, completeness, result.simulated);
  result.summary = summarise(questions);
  result.details = detail(questions);
  result.checks = all.checks();
  result.anomalies = all.anomalies();
  std::stable_sort(result.anomalies.begin(), result.anomalies.end(),
                   [](const Anomaly& a, const Anomaly& b) {
                     return rank_of_severity(a.severity) < rank_of_severity(b.severity);
                   });
  return result;
}

}  // namespace npuprof::evidence
