#pragma once

#include <vector>

#include "core/json.hpp"
#include "evidence/findings.hpp"

namespace npuprof::evidence {

// The figures of a profile in short; over all the profiles, where there are several ranks:
// {step_ms: {median, p90, steps, source} | null,
//  device: {busy_us, free_us, busy_share} | null,          of the window's steps
//  top_operators: [{name, count, total_us, mean_us, max_us, wait_us, share}],   at most 10
//  communication_share, ai_cpu_share: 0..1 | null}          of the kernels' time
Json summarise(const std::vector<Question>& questions);

// More of them, for the report: {steps: [{id, ms, busy_us, free_us, communication_us, guard}],
// top_by_wait, ai_cpu_operators: as top_operators}; steps of the first profile that has some, at
// most 200.
Json detail(const std::vector<Question>& questions);

}  // namespace npuprof::evidence
