#pragma once

#include <string>
#include <vector>

#include "core/clock.hpp"
#include "run/request.hpp"
#include "run/workload_facts.hpp"

namespace npuprof::run {

// A device that a run is to use.
struct JobDevice {
  int device_id = 0;      // the index that torch takes in the target
  std::string lease_key;  // names its lease; empty: none can be had
};

enum class Purpose { collect, inference };

// <workspace>/.npuprof/runs, and a run's directory in it. `workspace` is the resolved one.
std::string runs_directory(const std::string& workspace);
std::string run_directory(const std::string& workspace, const std::string& run_id);

// job.json of a run, as schemas/job.schema.json has it.
Json make_job(const Request& request, const WorkloadFacts& facts,
              const std::vector<JobDevice>& devices, const std::string& run_id, Purpose purpose,
              Clock::System::time_point now);

// Seconds until a run of these arguments must have ended on the host, queueing included.
double longest_run_s(const Json& arguments);

}  // namespace npuprof::run
