#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "config/target.hpp"
#include "host/host.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// The record of a run that is on the host but in no journal here, made from its job.json.
// RUN_UNKNOWN where the host has no such run.
Result<Record> read_orphan(Host& host, const Target& target, const std::string& run_id,
                           const std::stop_token& stop);

// The ids of all runs that are in the target's workspace.
Result<std::vector<std::string>> runs_on_host(Host& host, const Target& target,
                                              const std::stop_token& stop);

}  // namespace npuprof::run
