#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/announcement.hpp"
#include "host/host.hpp"

namespace npuprof {

// The variable that every process of a command carries in its environment, with a random value of
// the command's own, so that ending the command finds also those that left its session.
inline constexpr char command_variable[] = "NPUPROF_COMMAND";

// Holds a running command to its time limit, its caller's wish to stop, and its end: whatever way
// the caller lets go of it, `end` is called unless the command has ended by itself.
class TrackedProcess final : public Process {
 public:
  // Ends the command and everything it started, and waits for that (seconds at most). `process_id`
  // is what the command announced, or empty.
  using End = std::function<void(const std::string& process_id)>;

  // What it means that the command ended without having announced itself: how, and with which
  // words on both streams.
  using Explain = std::function<Error(const Exit& exit, const std::string& said)>;

  // `description` names the host. With `announcement`, output before it is dropped.
  TrackedProcess(std::unique_ptr<Process> inner, const Command& command, std::string description,
                 std::chrono::steady_clock::time_point deadline, End end,
                 std::optional<Announcement> announcement = {}, Explain explain = {});
  ~TrackedProcess() override;
  TrackedProcess(const TrackedProcess&) = delete;
  TrackedProcess& operator=(const TrackedProcess&) = delete;

  Result<ProcessEvent> next(std::chrono::steady_clock::time_point until,
                            const std::stop_token& stop) override;
  void write(std::string_view bytes) override { inner_->write(bytes); }
  void close_stdin() override { inner_->close_stdin(); }

 private:
  void finish();

  std::unique_ptr<Process> inner_;
  std::string program_;
  std::string description_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point deadline_;
  End end_;
  std::optional<Announcement> announcement_;
  Explain explain_;
  bool ended_ = false;
};

}  // namespace npuprof
