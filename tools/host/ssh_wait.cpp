#include "host/ssh_wait.hpp"

#include <poll.h>

#include <algorithm>

#include "core/error_codes.hpp"

namespace npuprof {

Result<int> ssh_wait(ssh_session session, std::chrono::steady_clock::time_point deadline,
                     const std::stop_token& stop, const std::function<int()>& call, int again) {
  while (true) {
    const int answer = call();
    if (answer != again) return answer;
    if (stop.stop_requested()) {
      return fail({.code = codes::cancelled,
                   .message = "Cancelled while connecting; nothing was run.",
                   .who = Who::agent});
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return fail({.code = codes::host_unreachable,
                   .message = "The host took too long to let npuprof in; nothing was run.",
                   .remedy = "Try again, or raise connect_timeout_s of the target.",
                   .who = Who::user,
                   .retryable = true});
    }
    pollfd fd{::ssh_get_fd(session), POLLIN, 0};
    if ((::ssh_get_poll_flags(session) & SSH_WRITE_PENDING) != 0) fd.events |= POLLOUT;
    ::poll(&fd, 1, static_cast<int>(std::min<std::int64_t>(left.count() + 1, 50)));
  }
}

}  // namespace npuprof
