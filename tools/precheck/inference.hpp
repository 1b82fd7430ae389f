#pragma once

#include "core/clock.hpp"
#include "precheck/precheck.hpp"

namespace npuprof::precheck {

// Runs one step of an `entry` workload through the supervisor, under a lease, on the first device
// that was asked for or recommended, and removes what that left on the host. A script can't be
// stopped after one step, so it is not run, and the answer says so. `config` and `clock` must
// outlive the result.
Inference one_step_inference(const Config& config, Clock& clock);

}  // namespace npuprof::precheck
