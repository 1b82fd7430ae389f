#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace npuprof {

enum class TargetKind { local, ssh };
enum class ContainerEngine { docker, podman };

// A named place where profiling can run, as the user's configuration says. Holds no secret: only
// where one is found.
struct Target {
  std::string name;
  TargetKind kind = TargetKind::ssh;

  // kind = ssh. An empty field leaves it to ~/.ssh/config and libssh's defaults.
  std::string host;  // a name, an address, or an alias of ~/.ssh/config
  std::string user;
  std::uint16_t port = 0;  // 0: 22, or what the alias says
  std::filesystem::path identity_file;
  std::filesystem::path certificate_file;
  std::vector<std::string> passphrase_command;  // argv; its first line of output is the passphrase
  std::string identity_agent;                   // the agent's socket; empty: $SSH_AUTH_SOCK
  std::string password_env;                     // name of a variable of npuprof's own environment
  std::vector<std::string> password_command;    // argv; its first line of output is the password
  std::filesystem::path known_hosts;            // empty: ~/.ssh/known_hosts
  std::filesystem::path ssh_config;             // empty: ~/.ssh/config
  std::chrono::milliseconds connect_timeout{15'000};
  std::chrono::milliseconds keepalive{15'000};

  // Optional, round either kind.
  std::string container;
  ContainerEngine container_engine = ContainerEngine::docker;
  bool container_sudo = false;  // call the engine through `sudo -n`
  std::string container_user;

  std::string workspace;  // absolute, on the target; holds scripts and .npuprof/runs
  std::vector<std::string>
      set_env;  // scripts to source before Python; empty: found where CANN puts them
  std::vector<std::string> path_prepend;  // directories put in front of PATH
  std::string python = "python3";
  std::string lease_dir = "/var/tmp/npuprof-leases";
  std::vector<std::string> allow_env;  // names, or prefixes ending in *, that a call may set
};

// True where a call may set the variable `name` on this target. LD_*, PYTHON*, PATH and the like
// never pass.
bool allows_env(const Target& target, const std::string& name);

}  // namespace npuprof
