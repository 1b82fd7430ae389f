#pragma once

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "host/ssh_stream.hpp"

namespace npuprof {

// One command of a session, driven by the session's thread alone: each `advance` does what can be
// done without waiting.
class SshChannel {
 public:
  enum class State { busy, refused, finished };

  SshChannel(ssh_session session, std::shared_ptr<SshStream> stream, std::string words,
             bool urgent);
  ~SshChannel();
  SshChannel(const SshChannel&) = delete;
  SshChannel& operator=(const SshChannel&) = delete;

  // Sets `progress` where something happened. `refused`: the host opened no channel (the request
  // can be made again); `finished`: the stream has been told its end, or nobody wants it.
  State advance(std::vector<char>& buffer, bool& progress);

  bool is_urgent() const { return urgent_; }
  bool is_open() const { return phase_ != Phase::opening; }
  const std::shared_ptr<SshStream>& stream() const { return stream_; }
  const std::string& words() const { return words_; }

 private:
  enum class Phase { opening, requesting, running };

  bool read(std::vector<char>& buffer, bool is_err);
  bool write();
  bool take_end();

  ssh_session session_;
  std::shared_ptr<SshStream> stream_;
  std::string words_;
  bool urgent_;
  ssh_channel channel_;
  ssh_channel_callbacks_struct callbacks_{};
  Phase phase_ = Phase::opening;
  std::optional<Exit> exit_;
  std::size_t received_ = 0;
  std::size_t since_growth_ = 0;
  bool eof_sent_ = false;
  bool closed_ = false;  // by the host
};

}  // namespace npuprof
