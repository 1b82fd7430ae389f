#pragma once

#include "evidence/findings.hpp"

namespace npuprof::evidence {

// Can the profile be trusted? From the anomalies, the warm-up verdict and what was not assessable.
struct Completeness {
  bool any_data = false;
  bool all_read = false;
  bool whole_profile = false;  // kernels and host events, not a file or two of a profile
};
Verdict judge(const Findings& findings, WarmupVerdict warmup, const Completeness& completeness,
              bool simulated);

}  // namespace npuprof::evidence
