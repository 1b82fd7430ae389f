#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "host/host.hpp"

namespace npuprof {

// What lies between a command of an SSH connection and its caller: the connection's thread fills
// `events` and empties `input`, the caller does the reverse. All members are guarded by `mutex`.
struct SshStream {
  std::mutex mutex;
  std::condition_variable_any changed;

  std::deque<ProcessEvent> events;
  std::size_t buffered = 0;  // bytes in `events`
  bool paused = false;       // the thread stopped reading, since `buffered` reached its bound
  bool requested = false;    // the command has been sent to the host
  bool started = false;      // the host has accepted the command
  bool over = false;         // nothing follows what is in `events`
  std::optional<Error> failure;

  std::string input;
  std::size_t sent = 0;  // of `input`
  bool input_ends = false;
  bool abandoned = false;  // the caller has let go of it
};

}  // namespace npuprof
