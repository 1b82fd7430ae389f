#include "host/container_error.hpp"

#include <algorithm>
#include <array>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof {
namespace {

struct Refusal {
  std::string_view words;  // in lower case
  std::string_view meaning;
  std::string_view remedy;  // @ stands for the engine, % for the container
  Who who;
};

constexpr std::array<Refusal, 17> refusals{{
    {"permission denied while trying to connect", "the login user may not use @",
     "Set container_sudo = true if sudo needs no password there, or have the user added to the "
     "group docker.",
     Who::administrator},
    {"cannot connect to the docker daemon", "the docker daemon does not run",
     "Start it: systemctl start docker.", Who::administrator},
    {"no such container", "there is no such container",
     "Look with `@ ps -a`; with rootless podman or sudo each user sees other containers.",
     Who::user},
    {"no container with name or id", "there is no such container",
     "Look with `@ ps -a`; with rootless podman or sudo each user sees other containers.",
     Who::user},
    {"is paused", "it is paused", "Run `@ unpause %`.", Who::user},
    {"is restarting", "it is restarting", "Wait, or see why it restarts: `@ logs %`.", Who::user},
    {"is not running", "it is not running", "Run `@ start %`.", Who::user},
    {"container state improper", "it is not running", "Run `@ start %`.", Who::user},
    {"unable to find user", "container_user is not known in it",
     "Name a user that the container's /etc/passwd has.", Who::user},
    {"no matching entries in passwd", "container_user is not known in it",
     "Name a user that the container's /etc/passwd has.", Who::user},
    {"a password is required", "sudo asks for a password there",
     "Let the login user run @ without a password (sudoers NOPASSWD), or set container_sudo = "
     "false.",
     Who::administrator},
    {"a terminal is required", "sudo asks for a password there",
     "Let the login user run @ without a password (sudoers NOPASSWD), or set container_sudo = "
     "false.",
     Who::administrator},
    {"no tty present", "sudo asks for a password there",
     "Let the login user run @ without a password (sudoers NOPASSWD), or set container_sudo = "
     "false.",
     Who::administrator},
    {"not in the sudoers file", "the login user may not use sudo there",
     "Set container_sudo = false, or have the user added to the sudoers.", Who::administrator},
    {"sudo: not found", "there is no sudo", "Set container_sudo = false.", Who::user},
    {"\"/bin/sh\"", "it has no /bin/sh", "npuprof needs a shell in the container.", Who::user},
    {"executable file not found", "it lacks a program that npuprof needs",
     "npuprof needs /bin/sh in the container.", Who::user},
}};

std::string filled(std::string_view text, const std::string& engine, const std::string& container) {
  std::string result;
  for (const char byte : text) {
    if (byte == '@') {
      result += engine;
    } else if (byte == '%') {
      result += container;
    } else {
      result += byte;
    }
  }
  return result;
}

}  // namespace

Error container_error(const std::string& engine, const std::string& container,
                      const std::string& host, std::string_view said, int status) {
  std::string lower(said);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  const std::string name = "The container " + container + " on " + host;
  const std::string words = clean_host_text(said, 500);
  for (const Refusal& refusal : refusals) {
    if (lower.find(refusal.words) == lower.npos) continue;
    return {.code = codes::container_unavailable,
            .message = name + " can't be used: " + filled(refusal.meaning, engine, container) +
                       ". Nothing was run. (" + engine + " says: " + words + ")",
            .remedy = filled(refusal.remedy, engine, container),
            .who = refusal.who};
  }
  if (status == 127) {
    return {.code = codes::container_unavailable,
            .message = name + " can't be used: there is no " + engine +
                       " on that host's PATH. Nothing was run. (It says: " + words + ")",
            .remedy = "Install it there, or set container_engine.",
            .who = Who::user};
  }
  return {.code = codes::container_unavailable,
          .message = name + " ran nothing (exit status " + std::to_string(status) + "). " + engine +
                     " says: " + (words.empty() ? "nothing" : words),
          .remedy = "Try `" + engine + " exec " + container + " true` on the host.",
          .who = Who::user};
}

}  // namespace npuprof
