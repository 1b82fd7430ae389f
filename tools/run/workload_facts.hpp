#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "host/host.hpp"
#include "run/request.hpp"

namespace npuprof::run {

// What the host says of a workload before anything is started.
struct WorkloadFacts {
  std::string workspace;      // resolved
  std::string script;         // resolved; empty where the workload is a module or a service
  std::string script_sha256;  // empty where the host can't tell
  std::string git_commit;     // empty: no working tree, or git does not answer
  std::optional<bool> git_dirty;
};

// Asks the host once. Fails with what Host::start fails with, NOT_FOUND (workspace or script),
// PATH_OUTSIDE_WORKSPACE, PERMISSION_DENIED or INVALID_ARGUMENTS (a directory), each saying that
// nothing was run.
Result<WorkloadFacts> look_at_workload(Host& host, const Request& request,
                                       const std::stop_token& stop);

// A directory that a caller named, below the workspace: resolved by the host, links and all.
Result<std::string> resolve_directory(Host& host, const Target& target, const std::string& path,
                                      const std::stop_token& stop);

// The workspace, links resolved.
Result<std::string> resolve_workspace(Host& host, const Target& target,
                                      const std::stop_token& stop);

// The `workload` member of the run's record.
Json describe_workload(const Request& request, const WorkloadFacts& facts);

}  // namespace npuprof::run
