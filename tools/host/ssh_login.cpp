#include "host/ssh_login.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <thread>

#include "config/home_directory.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "host/ssh_authentication.hpp"
#include "host/ssh_host_key.hpp"
#include "host/ssh_wait.hpp"
#include "host/tcp_connect.hpp"

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

// AES-GCM first: the fastest by far where the processor helps. A user's ssh_config may differ.
constexpr char ciphers[] =
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"
    "aes192-ctr,aes128-ctr";

Error cancelled() {
  return {.code = codes::cancelled,
          .message = "Cancelled while connecting; nothing was run.",
          .who = Who::agent};
}

std::string option(ssh_session session, ssh_options_e which) {
  char* value = nullptr;
  if (::ssh_options_get(session, which, &value) != SSH_OK || value == nullptr) return {};
  std::string text(value);
  ::ssh_string_free_char(value);
  return text;
}

bool is_proxied(ssh_session session) {
  const std::string command = option(session, SSH_OPTIONS_PROXYCOMMAND);
  return !command.empty() && command != "none";
}

// libssh turns ProxyJump into a call of the OpenSSH client, which then reads the user's own
// configuration: it has to read the same file as npuprof, and must not ask anybody anything.
void adapt_proxy_jump(ssh_session session, const Target& target) {
  const std::string command = option(session, SSH_OPTIONS_PROXYCOMMAND);
  if (!command.starts_with("ssh ") || command.find(" -W '[%h]:%p' ") == command.npos) return;
  std::string options = "ssh -o BatchMode=yes ";
  if (!target.ssh_config.empty()) {
    std::string quoted = "'";
    for (const char byte : target.ssh_config.string()) {
      quoted += byte == '\'' ? std::string(R"('\'')") : byte == '%' ? "%%" : std::string(1, byte);
    }
    options += "-F " + quoted + "' ";
  }
  ::ssh_options_set(session, SSH_OPTIONS_PROXYCOMMAND, (options + command.substr(4)).c_str());
}

Result<SshSession> prepare(const Target& target) {
  SshSession session(::ssh_new());
  if (!session) throw std::bad_alloc();
  ssh_session raw = session.get();
  ::ssh_options_set(raw, SSH_OPTIONS_HOST, target.host.c_str());
  // libssh would ask the user database alone for the home, and $HOME may be another.
  ::ssh_options_set(raw, SSH_OPTIONS_SSH_DIR, (home_directory() / ".ssh").c_str());
  ::ssh_options_set(raw, SSH_OPTIONS_CIPHERS_C_S, ciphers);
  ::ssh_options_set(raw, SSH_OPTIONS_CIPHERS_S_C, ciphers);
  const int nodelay = 1;
  ::ssh_options_set(raw, SSH_OPTIONS_NODELAY, &nodelay);
  const std::string config = target.ssh_config.string();
  std::error_code ignored;
  const bool is_there = config.empty() || std::filesystem::exists(config, ignored);
  if (!is_there ||
      ::ssh_options_parse_config(raw, config.empty() ? nullptr : config.c_str()) != 0) {
    return fail({.code = codes::config_invalid,
                 .message = "The ssh configuration " +
                            (config.empty() ? std::string("of this user") : config) +
                            (is_there ? " can't be read: " + std::string(::ssh_get_error(raw))
                                      : " does not exist") +
                            ". Nothing was run.",
                 .remedy = "Correct the file, or name another one as ssh_config."});
  }
  const int no = 0;
  ::ssh_options_set(raw, SSH_OPTIONS_PROCESS_CONFIG, &no);
  // What the target says goes before what the ssh configuration says.
  if (!target.user.empty()) ::ssh_options_set(raw, SSH_OPTIONS_USER, target.user.c_str());
  if (target.port != 0) {
    const unsigned port = target.port;
    ::ssh_options_set(raw, SSH_OPTIONS_PORT, &port);
  }
  if (!target.known_hosts.empty()) {
    ::ssh_options_set(raw, SSH_OPTIONS_KNOWNHOSTS, target.known_hosts.c_str());
  }
  if (!target.identity_agent.empty()) {
    ::ssh_options_set(raw, SSH_OPTIONS_IDENTITY_AGENT, target.identity_agent.c_str());
  }
  const long no_limit = 24L * 3600;  // the deadline is npuprof's own
  ::ssh_options_set(raw, SSH_OPTIONS_TIMEOUT, &no_limit);
  adapt_proxy_jump(raw, target);
  return session;
}

// Brings the session to the end of the key exchange.
Result<void> connect(ssh_session session, const Target& target, Steady::time_point deadline,
                     const std::stop_token& stop) {
  const bool proxied = is_proxied(session);
  if (!proxied) {
    unsigned port = 22;
    ::ssh_options_get_port(session, &port);
    auto socket = tcp_connect(option(session, SSH_OPTIONS_HOST), static_cast<std::uint16_t>(port),
                              deadline, stop);
    if (!socket) return fail(std::move(socket.error()));
    const socket_t fd = socket->release();  // the session's from here on
    ::ssh_options_set(session, SSH_OPTIONS_FD, &fd);
  }
  ::ssh_set_blocking(session, 0);
  auto connected = ssh_wait(session, deadline, stop, [&] { return ::ssh_connect(session); });
  if (!connected) return fail(std::move(connected.error()));
  if (*connected == SSH_OK) return {};
  const std::string reason = clean_host_text(::ssh_get_error(session), 300);
  return fail(
      {.code = codes::host_unreachable,
       .message = ssh_description(target) +
                  (proxied ? " was to be reached through its proxy" : " was reached") +
                  ", but no SSH connection came about: " + reason + ". Nothing was run.",
       .remedy = proxied ? "Try `ssh " + target.host +
                               "` in a terminal: the jump host must be in known_hosts and let "
                               "the user in without a question."
                         : "Is the port that of an SSH server? A server that closes at once may "
                           "have too many logins under way (its MaxStartups) or forbid this "
                           "address.",
       .who = Who::user,
       .retryable = true});
}

// A server with too many logins under way (MaxStartups) hangs up before it says anything.
bool was_hung_up(const std::string& reason) {
  constexpr std::array<std::string_view, 5> words{"disconnected", "reset by peer", "MaxStartups",
                                                  "closed by remote", "Connection closed"};
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return reason.find(word) != reason.npos; });
}

}  // namespace

void SshSessionDelete::operator()(ssh_session session) const {
  if (::ssh_is_connected(session) != 0) ::ssh_silent_disconnect(session);
  ::ssh_free(session);
}

std::string ssh_description(const Target& target) {
  return (target.user.empty() ? "" : target.user + "@") + target.host +
         (target.port == 0 ? "" : ":" + std::to_string(target.port));
}

Result<SshSession> ssh_log_in(const Target& target, Steady::time_point deadline,
                              const std::stop_token& stop) {
  std::minstd_rand random{std::random_device{}()};
  auto pause = std::chrono::milliseconds(200);
  while (true) {
    auto session = prepare(target);
    if (!session) return fail(std::move(session.error()));
    auto connected = connect(session->get(), target, deadline, stop);
    if (connected) {
      if (auto known = check_host_key(session->get(), target); !known) {
        return fail(std::move(known.error()));
      }
      if (auto in = authenticate(session->get(), target, deadline, stop); !in) {
        return fail(std::move(in.error()));
      }
      spdlog::debug("logged in to {}", ssh_description(target));
      return session;
    }
    if (stop.stop_requested()) return fail(cancelled());
    const auto wait =
        pause + std::chrono::milliseconds(random() % static_cast<unsigned>(pause.count()));
    if (connected.error().code != codes::host_unreachable || is_proxied(session->get()) ||
        !was_hung_up(connected.error().message) || Steady::now() + wait >= deadline) {
      return fail(std::move(connected.error()));
    }
    const auto until = Steady::now() + wait;
    while (Steady::now() < until && !stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    pause *= 2;
  }
}

}  // namespace npuprof
