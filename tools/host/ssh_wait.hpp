#pragma once

#include <libssh/libssh.h>

#include <chrono>
#include <functional>
#include <stop_token>

#include "core/error.hpp"

namespace npuprof {

// Repeats a call of a non-blocking session while it answers `again`, and gives its other answer.
// Fails with HOST_UNREACHABLE at the deadline and with CANCELLED.
Result<int> ssh_wait(ssh_session session, std::chrono::steady_clock::time_point deadline,
                     const std::stop_token& stop, const std::function<int()>& call,
                     int again = SSH_AGAIN);

}  // namespace npuprof
