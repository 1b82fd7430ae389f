#pragma once

#include <stop_token>
#include <string>

#include "core/error.hpp"
#include "host/host.hpp"

namespace npuprof::transfer {

// Removes a run's own directory from its host: <workspace>/.npuprof/runs/<run_id>, and nothing
// else. Refuses (INVALID_ARGUMENTS, nothing removed) a run id that is not one name, and
// (PERMISSION_DENIED) a directory that is reached through a link, is none, or belongs to another
// user. Already gone is fine. Call it only once the artifact is verified and the run has ended.
Result<void> remove_remote(Host& host, const std::string& workspace, const std::string& run_id,
                           const std::stop_token& stop);

}  // namespace npuprof::transfer
