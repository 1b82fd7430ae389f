#include "host/ssh_host.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "host/command_rules.hpp"
#include "host/launch.hpp"
#include "host/token.hpp"
#include "host/tracked_process.hpp"

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

// Runs the end of a command's tree on a channel of its own, or where the host has no room for one,
// on a connection of its own.
void end_tree(SshConnection& connection, const Target& target, const std::string& marker,
              const std::string& process_id) {
  const Command command{
      .argv = {"/bin/sh", "-c", std::string(end_tree_script), "sh", marker, process_id}};
  const std::string input = launch_line(launch_script(command, random_token()));
  const auto deadline = Steady::now() + std::chrono::seconds(10);
  std::shared_ptr<SshConnection> second;
  auto process = connection.start(std::string(launcher), input, true, deadline, {});
  if (!process && process.error().code == codes::channel_refused) {
    auto session = ssh_log_in(target, deadline, {});
    if (session) {
      second = SshConnection::over(std::move(*session), ssh_description(target), target.keepalive);
      process = second->start(std::string(launcher), input, true, deadline, {});
    }
  }
  if (!process) {
    spdlog::warn("a command could not be ended on the host: {}", process.error().message);
    return;
  }
  (*process)->close_stdin();
  while (Steady::now() < deadline) {
    auto event = (*process)->next(deadline, {});
    if (!event || event->kind == ProcessEvent::Kind::exited) return;
  }
}

Error no_shell(const std::string& host, const Exit& exit, const std::string& said) {
  const std::string words = clean_host_text(said, 500);
  return {.code = codes::channel_refused,
          .message = host + " let npuprof in, but its login shell ran nothing (exit status " +
                     std::to_string(exit.status) +
                     "); it said: " + (words.empty() ? "nothing" : words),
          .remedy =
              "Use an account whose login shell runs commands, with /bin/sh and base64 on its "
              "PATH.",
          .who = Who::administrator};
}

bool is_lost_before_the_start(const Error& error) {
  return error.code == codes::connection_lost && error.details.is_object() &&
         !error.details.value("may_run", true);
}

}  // namespace

SshHost::SshHost(Target target) : target_(std::move(target)) {}

Result<std::shared_ptr<SshConnection>> SshHost::connection(Steady::time_point deadline,
                                                           const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (connection_ && !connection_->is_lost()) return connection_;
    if (!connecting_) break;
    const auto before = attempts_;
    const bool ended =
        changed_.wait_until(lock, stop, deadline, [&] { return attempts_ != before; });
    if (!ended) {
      if (stop.stop_requested()) {
        return fail({.code = codes::cancelled,
                     .message = "Cancelled while connecting; nothing was run.",
                     .who = Who::agent});
      }
      return fail(
          {.code = codes::timed_out,
           .message = "No connection to " + description() + " came about in time; nothing was run.",
           .remedy = "Allow the command more time.",
           .who = Who::agent,
           .retryable = true});
    }
    if (last_failure_) return fail(*last_failure_);
  }
  connecting_ = true;
  auto old = std::move(connection_);
  connection_ = nullptr;
  lock.unlock();
  old.reset();
  auto session =
      ssh_log_in(target_, std::min(deadline, Steady::now() + target_.connect_timeout), stop);
  std::shared_ptr<SshConnection> made;
  if (session) made = SshConnection::over(std::move(*session), description(), target_.keepalive);
  lock.lock();
  connecting_ = false;
  ++attempts_;
  last_failure_.reset();
  if (!session && session.error().code != codes::cancelled) last_failure_ = session.error();
  connection_ = made;
  changed_.notify_all();
  if (!session) return fail(std::move(session.error()));
  return made;
}

Result<std::unique_ptr<Process>> SshHost::start(const Command& command,
                                                const std::stop_token& stop) {
  if (auto legal = check_command(command); !legal) return fail(std::move(legal.error()));
  const auto deadline = Steady::now() + command.timeout;
  const std::string marker = random_token();
  const std::string input = launch_line(launch_script(command, marker));
  while (true) {
    auto live = connection(deadline, stop);
    if (!live) return fail(std::move(live.error()));
    auto process = (*live)->start(std::string(launcher), input, false, deadline, stop);
    if (process) {
      return std::make_unique<TrackedProcess>(
          std::move(*process), command, description(), deadline,
          [connection = *live, target = target_, marker](const std::string& process_id) {
            end_tree(*connection, target, marker, process_id);
          },
          Announcement(marker),
          [host = description()](const Exit& exit, const std::string& said) {
            return no_shell(host, exit, said);
          });
    }
    // An idle connection that has died unnoticed: nothing was sent, so it may be sent now.
    if (is_lost_before_the_start(process.error()) && Steady::now() < deadline) continue;
    if (process.error().code == codes::timed_out || process.error().code == codes::cancelled) {
      end_tree(**live, target_, marker, "");  // it may have started after all
    }
    return fail(std::move(process.error()));
  }
}

}  // namespace npuprof
