#include "evidence/verdict.hpp"

#include <algorithm>

namespace npuprof::evidence {
namespace {

void add_reasons(const Findings& findings, Severity severity, std::vector<std::string>& reasons) {
  for (const Anomaly& anomaly : findings.anomalies()) {
    if (anomaly.severity != severity) continue;
    std::string reason = anomaly.code + ": " + anomaly.message;
    if (reasons.size() < 12 && std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }
}

}  // namespace

Verdict judge(const Findings& findings, WarmupVerdict warmup, const Completeness& completeness,
              bool simulated) {
  Verdict verdict;
  add_reasons(findings, Severity::error, verdict.reasons);
  const bool errors = !verdict.reasons.empty();
  add_reasons(findings, Severity::warning, verdict.reasons);
  const bool warnings = !errors && !verdict.reasons.empty();
  const bool open =
      std::any_of(findings.checks().begin(), findings.checks().end(),
                  [](const Check& check) { return check.status == CheckStatus::unknown; });
  if (errors) {
    verdict.trust = Trust::unusable;
  } else if (!completeness.any_data) {
    verdict.trust = Trust::unknown;
    verdict.reasons.insert(verdict.reasons.begin(), "there is no profile data to judge");
  } else if (!completeness.all_read) {
    verdict.trust = Trust::unknown;
    verdict.reasons.insert(verdict.reasons.begin(), "not everything was read");
  } else if (warnings || open || !completeness.whole_profile || warmup != WarmupVerdict::stripped) {
    verdict.trust = Trust::usable_with_care;
    if (warmup == WarmupVerdict::unknown) {
      verdict.reasons.push_back("whether warm-up was kept out of the window is not known");
    }
    if (!completeness.whole_profile) {
      verdict.reasons.push_back("only a part of a profile is here: what is missing was not judged");
    }
  } else {
    verdict.trust = Trust::trusted;
    verdict.reasons.push_back("files whole, totals agree, warm-up kept out of the window");
    if (findings.has("TOO_FEW_STEPS")) {
      verdict.reasons.push_back("few steps: no spread can be told from them");
    }
  }
  if (simulated) {
    verdict.reasons.push_back("made on a simulated device: the figures are no NPU's");
  }
  return verdict;
}

}  // namespace npuprof::evidence
