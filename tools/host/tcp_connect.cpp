#include "host/tcp_connect.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/error_codes.hpp"

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

tl::unexpected<Error> unreachable(std::string message, std::string remedy) {
  return fail({.code = codes::host_unreachable,
               .message = std::move(message) + "; nothing was run.",
               .remedy = std::move(remedy),
               .who = Who::user,
               .retryable = true});
}

// 0, or the errno of the attempt; ECANCELED on a stop.
int try_address(const Fd& socket, const addrinfo& address, Steady::time_point until,
                const std::stop_token& stop) {
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  while (true) {
    if (stop.stop_requested()) return ECANCELED;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
    if (left <= 0) return ETIMEDOUT;
    pollfd fd{socket.get(), POLLOUT, 0};
    if (::poll(&fd, 1, static_cast<int>(std::min<std::int64_t>(left, 50))) <= 0) continue;
    int reason = 0;
    socklen_t size = sizeof reason;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &reason, &size);
    return reason;
  }
}

}  // namespace

Result<Fd> tcp_connect(const std::string& host, std::uint16_t port, Steady::time_point deadline,
                       const std::stop_token& stop) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  if (const int error = ::getaddrinfo(host.c_str(), service.c_str(), &wanted, &found); error != 0) {
    return unreachable("The name " + host + " can't be resolved: " + ::gai_strerror(error),
                       "Correct host of the target, or add it to the ssh configuration.");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  int reason = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    // A share of the time for each address, so that a dead one does not use it up.
    int left = 0;
    for (const addrinfo* next = address; next != nullptr; next = next->ai_next) ++left;
    const auto until = Steady::now() + (deadline - Steady::now()) / left;
    Fd socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.is_open()) {
      reason = errno;
      continue;
    }
    reason = try_address(socket, *address, until, stop);
    if (reason == 0) {
      const int on = 1;
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return socket;
    }
    if (reason == ECANCELED) {
      return fail({.code = codes::cancelled,
                   .message = "Cancelled while connecting; nothing was run.",
                   .who = Who::agent});
    }
  }
  if (reason == ECONNREFUSED) {
    return unreachable("Nothing listens on port " + service + " of " + host,
                       "Is sshd running there, and is this its port?");
  }
  if (reason == ETIMEDOUT) {
    return unreachable("No answer from " + host + ", port " + service,
                       "Is the host up, and is there a way to it (VPN, firewall, ProxyJump)?");
  }
  return unreachable(host + ", port " + service + " can't be reached: " + std::strerror(reason),
                     "Is there a way to it (VPN, firewall, ProxyJump)?");
}

}  // namespace npuprof
