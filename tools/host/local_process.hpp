#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "host/fd.hpp"
#include "host/host.hpp"

namespace npuprof {

// A child process of npuprof, leader of its own session.
class LocalProcess final : public Process {
 public:
  // `marker` is the value of command_variable in its environment.
  static Result<std::unique_ptr<LocalProcess>> spawn(const Command& command, std::string marker);
  ~LocalProcess() override;
  LocalProcess(const LocalProcess&) = delete;
  LocalProcess& operator=(const LocalProcess&) = delete;

  Result<ProcessEvent> next(std::chrono::steady_clock::time_point until,
                            const std::stop_token& stop) override;
  void write(std::string_view bytes) override;
  void close_stdin() override;

  // TERM, then KILL, to its process group and to all that carry its marker; returns when none is
  // left, after 3 s at the latest.
  void end_tree();

 private:
  LocalProcess() = default;
  void feed_stdin();
  std::optional<ProcessEvent> read_from(Fd& stream, ProcessEvent::Kind kind);
  bool reap();
  bool signal_tree(int signal);  // false: nobody left

  pid_t pid_ = -1;
  std::string marker_;
  Fd pid_fd_;
  Fd stdin_;
  Fd out_;
  Fd err_;
  Fd wake_;
  std::string pending_;    // for the child's input
  std::size_t taken_ = 0;  // of pending_, by the child
  bool close_stdin_ = false;
  bool err_first_ = false;
  std::optional<Exit> exit_;
};

}  // namespace npuprof
