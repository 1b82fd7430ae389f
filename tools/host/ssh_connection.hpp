#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "host/fd.hpp"
#include "host/host.hpp"
#include "host/ssh_login.hpp"
#include "host/ssh_stream.hpp"

namespace npuprof {

// One authenticated SSH session and the thread that alone touches it. Carries several commands at
// once, each on a channel of its own, with bounded buffers. Thread-safe.
class SshConnection : public std::enable_shared_from_this<SshConnection> {
 public:
  // sshd's MaxSessions is 10 as it comes, and a shared account may have other sessions.
  static constexpr std::size_t channels_at_most = 6;
  // So that a command can be ended while all channels are in use.
  static constexpr std::size_t urgent_channels_at_most = 8;

  static std::shared_ptr<SshConnection> over(SshSession session, std::string description,
                                             std::chrono::milliseconds keepalive);
  ~SshConnection();
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;

  // Starts `words` under the login shell, with `input` as the head of its standard input, and waits
  // until the host has accepted it. Fails with CHANNEL_REFUSED, CONNECTION_LOST, TIMED_OUT (at
  // `deadline`), CANCELLED.
  Result<std::unique_ptr<Process>> start(std::string words, std::string input, bool urgent,
                                         std::chrono::steady_clock::time_point deadline,
                                         const std::stop_token& stop);

  bool is_lost() const;
  void wake();  // the thread looks at its streams again

 private:
  class Loop;
  struct Request {
    std::shared_ptr<SshStream> stream;
    std::string words;
    bool urgent = false;
  };

  SshConnection(SshSession session, std::string description, std::chrono::milliseconds keepalive);

  mutable std::mutex mutex_;
  std::deque<Request> inbox_;
  bool quit_ = false;
  bool lost_ = false;

  Fd wake_;
  SshSession session_;
  std::string description_;
  std::chrono::milliseconds keepalive_;
  std::jthread thread_;
};

}  // namespace npuprof
