#pragma once

#include <libssh/libssh.h>

#include <chrono>
#include <memory>
#include <stop_token>

#include "config/target.hpp"
#include "core/error.hpp"

namespace npuprof {

struct SshSessionDelete {
  void operator()(ssh_session session) const;
};
using SshSession = std::unique_ptr<ssh_session_struct, SshSessionDelete>;

// "dev@npu-a2:22", as far as the configuration says it.
std::string ssh_description(const Target& target);

// Connects, checks the host's key against known_hosts, and logs in. The session is in non-blocking
// mode and belongs to one thread at a time. Fails with HOST_UNREACHABLE, HOST_KEY_UNKNOWN,
// HOST_KEY_CHANGED, AUTH_FAILED, CONFIG_INVALID, CANCELLED.
Result<SshSession> ssh_log_in(const Target& target, std::chrono::steady_clock::time_point deadline,
                              const std::stop_token& stop);

}  // namespace npuprof
