#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "config/target.hpp"
#include "host/host.hpp"

namespace npuprof::run {

struct Launch {
  Json job;
  std::vector<std::string> set_env;  // scripts to source before Python, as the precheck found them
  bool again = false;                // an earlier attempt may have come to any point: take it up
};

// Makes the run's directory on the host (one atomic mkdir), writes its files and starts the
// supervisor, in one command. However often it is called for a run, with `again`, the supervisor
// starts at most once. Fails with what Host::start fails with, ALREADY_EXISTS (without `again`),
// NOT_FOUND, PERMISSION_DENIED, NO_SPACE, COMMAND_FAILED (no usable Python), or what the supervisor
// itself says.
Result<Json> launch(Host& host, const Target& target, const Launch& what,
                    const std::stop_token& stop);

// Ends a run's whole process tree on the host and gives its last status. Harmless where it has
// ended. NOT_FOUND where the host knows nothing of the run.
Result<Json> cancel_on_host(Host& host, const Target& target, const std::string& run_dir,
                            const std::stop_token& stop);

}  // namespace npuprof::run
