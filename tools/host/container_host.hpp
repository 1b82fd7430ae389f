#pragma once

#include <memory>

#include "config/target.hpp"
#include "host/host.hpp"

namespace npuprof {

// A running container of docker or podman on another host. Needs /bin/sh in the container, and to
// end commands there, grep, tr and sleep.
class ContainerHost final : public Host {
 public:
  ContainerHost(std::shared_ptr<Host> outer, const Target& target);

  // What the engine refuses is CONTAINER_UNAVAILABLE, which the first call of Process::next says.
  Result<std::unique_ptr<Process>> start(const Command& command,
                                         const std::stop_token& stop) override;
  std::string description() const override;

 private:
  std::shared_ptr<Host> outer_;
  std::string container_;
  std::string user_;
  std::vector<std::string> engine_;  // argv: docker, or sudo -n docker
};

}  // namespace npuprof
