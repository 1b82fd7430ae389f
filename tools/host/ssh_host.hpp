#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "config/target.hpp"
#include "host/host.hpp"
#include "host/ssh_connection.hpp"

namespace npuprof {

// A host over SSH: one authenticated session, made at the first command, shared by all, and made
// anew by the next command after it was lost.
class SshHost final : public Host {
 public:
  explicit SshHost(Target target);

  Result<std::unique_ptr<Process>> start(const Command& command,
                                         const std::stop_token& stop) override;
  std::string description() const override { return ssh_description(target_); }

 private:
  Result<std::shared_ptr<SshConnection>> connection(std::chrono::steady_clock::time_point deadline,
                                                    const std::stop_token& stop);

  const Target target_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool connecting_ = false;
  std::uint64_t attempts_ = 0;         // connection attempts that have ended
  std::optional<Error> last_failure_;  // of the last one, unless it was cancelled
  std::shared_ptr<SshConnection> connection_;
};

}  // namespace npuprof
