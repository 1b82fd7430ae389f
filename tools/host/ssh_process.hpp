#pragma once

#include <memory>

#include "host/ssh_connection.hpp"

namespace npuprof {

// The caller's end of a command on an SSH connection. Ends nothing on the host when it goes.
class SshProcess final : public Process {
 public:
  SshProcess(std::shared_ptr<SshConnection> connection, std::shared_ptr<SshStream> stream)
      : connection_(std::move(connection)), stream_(std::move(stream)) {}
  ~SshProcess() override;
  SshProcess(const SshProcess&) = delete;
  SshProcess& operator=(const SshProcess&) = delete;

  Result<ProcessEvent> next(std::chrono::steady_clock::time_point until,
                            const std::stop_token& stop) override;
  void write(std::string_view bytes) override;
  void close_stdin() override;

 private:
  std::shared_ptr<SshConnection> connection_;
  std::shared_ptr<SshStream> stream_;
};

}  // namespace npuprof
