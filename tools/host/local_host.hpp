#pragma once

#include "host/host.hpp"

namespace npuprof {

// This machine. Each command is leader of a session of its own.
class LocalHost final : public Host {
 public:
  Result<std::unique_ptr<Process>> start(const Command& command,
                                         const std::stop_token& stop) override;
  std::string description() const override { return "this machine"; }
};

}  // namespace npuprof
