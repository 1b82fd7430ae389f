#include "host/local_host.hpp"

#include "host/command_rules.hpp"
#include "host/local_process.hpp"
#include "host/token.hpp"
#include "host/tracked_process.hpp"

namespace npuprof {

Result<std::unique_ptr<Process>> LocalHost::start(const Command& command, const std::stop_token&) {
  if (auto legal = check_command(command); !legal) return fail(std::move(legal.error()));
  const auto deadline = std::chrono::steady_clock::now() + command.timeout;
  auto process = LocalProcess::spawn(command, random_token());
  if (!process) return fail(std::move(process.error()));
  LocalProcess* const local = process->get();
  return std::make_unique<TrackedProcess>(std::move(*process), command, description(), deadline,
                                          [local](const std::string&) { local->end_tree(); });
}

}  // namespace npuprof
