#include "host/container_host.hpp"

#include <spdlog/spdlog.h>

#include "host/announcement.hpp"
#include "host/command_rules.hpp"
#include "host/container_error.hpp"
#include "host/launch.hpp"
#include "host/token.hpp"
#include "host/tracked_process.hpp"

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

// The engine's own client outlives its command's time limit a little, so that the command inside is
// ended first: ending the client ends nothing in the container.
constexpr auto client_grace = std::chrono::seconds(15);

}  // namespace

ContainerHost::ContainerHost(std::shared_ptr<Host> outer, const Target& target)
    : outer_(std::move(outer)), container_(target.container), user_(target.container_user) {
  if (target.container_sudo) engine_ = {"sudo", "-n"};
  engine_.push_back(target.container_engine == ContainerEngine::podman ? "podman" : "docker");
}

std::string ContainerHost::description() const {
  return "container " + container_ + " on " + outer_->description();
}

Result<std::unique_ptr<Process>> ContainerHost::start(const Command& command,
                                                      const std::stop_token& stop) {
  if (auto legal = check_command(command); !legal) return fail(std::move(legal.error()));
  const auto deadline = Steady::now() + command.timeout;
  const auto exec = [&](const std::string& script, const std::vector<std::string>& arguments) {
    std::vector<std::string> argv = engine_;
    argv.insert(argv.end(), {"exec", "-i"});
    if (!user_.empty()) argv.insert(argv.end(), {"-u", user_});
    argv.insert(argv.end(), {container_, "/bin/sh", "-c", script, "sh"});
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
  };
  const std::string marker = random_token();
  Command client{.argv = exec(launch_prologue(command, marker) + "exec \"$@\"\n", command.argv),
                 .timeout = command.timeout + client_grace};
  auto process = outer_->start(client, stop);
  if (!process) return fail(std::move(process.error()));

  const Command ender{.argv = exec(std::string(end_tree_script), {marker}),
                      .timeout = std::chrono::seconds(10)};
  const auto end = [outer = outer_, ender](const std::string& process_id) {
    Command command_with_id = ender;
    command_with_id.argv.push_back(process_id);
    auto ended = outer->capture(command_with_id);
    if (!ended) spdlog::warn("a command could not be ended: {}", ended.error().message);
  };
  const auto explain = [engine = engine_.back(), container = container_,
                        host = outer_->description()](const Exit& exit, const std::string& said) {
    return container_error(engine, container, host, said, exit.status);
  };
  return std::make_unique<TrackedProcess>(std::move(*process), command, description(), deadline,
                                          end, Announcement(marker), explain);
}

}  // namespace npuprof
