#include "host/host_pool.hpp"

#include "host/container_host.hpp"
#include "host/local_host.hpp"
#include "host/ssh_host.hpp"

namespace npuprof {

Result<std::shared_ptr<Host>> HostPool::host(const Target& target) {
  const std::lock_guard lock(mutex_);
  auto& host = hosts_[target.name];
  if (host) return host;
  if (target.kind == TargetKind::local) {
    host = std::make_shared<LocalHost>();
  } else {
    host = std::make_shared<SshHost>(target);
  }
  if (!target.container.empty()) host = std::make_shared<ContainerHost>(std::move(host), target);
  return host;
}

}  // namespace npuprof
