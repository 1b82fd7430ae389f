#pragma once

#include <libssh/libssh.h>

#include <chrono>
#include <stop_token>

#include "config/target.hpp"
#include "core/error.hpp"

namespace npuprof {

// Logs in to a connected session whose host key has been checked: identity_file (with its
// certificate), else the agent and the identities of the ssh configuration, then the password, by
// keyboard-interactive where the host asks so. AUTH_FAILED says all that was tried.
Result<void> authenticate(ssh_session session, const Target& target,
                          std::chrono::steady_clock::time_point deadline,
                          const std::stop_token& stop);

}  // namespace npuprof
