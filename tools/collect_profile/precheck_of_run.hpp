#pragma once

#include "run/precheck_stage.hpp"

namespace npuprof::collect_profile {

// The precheck as the first stage of a run: as thorough as the call asks for ("skip" only finds
// out what the start needs). A check that failed ends the run there, but for what does not matter
// to it: the devices in a dry run on the CPU, a device that is leased where the run may wait.
run::PrecheckOutcome precheck_of_run(Host& host, const run::Request& request,
                                     const std::stop_token& stop);

}  // namespace npuprof::collect_profile
