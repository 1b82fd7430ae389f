#pragma once

#include <string>
#include <vector>

#include "core/call_context.hpp"
#include "run/job.hpp"
#include "run/run_parts.hpp"

namespace npuprof::run {

struct InferenceRequest {
  const Target* target = nullptr;
  Json arguments;  // precheck's: the workload and how long it may take (timeout_s)
  std::vector<JobDevice> devices;
  std::vector<std::string> set_env;
};

// Runs one step of a workload on the host under a lease, looks at its output, and removes every
// trace. Gives {"ran", "ok", "steps", "duration_ms", "peak_memory_mb", "outputs", "problems"}, and
// "reason" where it did not run or is not ok. A script that profiles itself is never run for it
// ({"ran": false}). Waits for the end; a stop ends the step on the host.
Result<Json> run_inference(RunParts& parts, const InferenceRequest& request, CallContext& context);

}  // namespace npuprof::run
