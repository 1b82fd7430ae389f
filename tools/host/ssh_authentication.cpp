#include "host/ssh_authentication.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "host/secret.hpp"
#include "host/ssh_login.hpp"
#include "host/ssh_wait.hpp"

namespace npuprof {
namespace {

struct KeyDelete {
  void operator()(ssh_key key) const { ::ssh_key_free(key); }
};
using Key = std::unique_ptr<ssh_key_struct, KeyDelete>;

class Login {
 public:
  Login(ssh_session session, const Target& target, std::chrono::steady_clock::time_point deadline,
        const std::stop_token& stop)
      : session_(session), target_(target), deadline_(deadline), stop_(stop) {}

  Result<void> run() {
    if (auto in = attempt("", [&] { return ::ssh_userauth_none(session_, nullptr); }); !in || *in) {
      return settle(in);
    }
    methods_ = ::ssh_userauth_list(session_, nullptr);
    const bool by_key = (methods_ & SSH_AUTH_METHOD_PUBLICKEY) != 0;
    if (by_key && !target_.identity_file.empty()) {
      if (auto in = with_identity_file(); !in || *in) return settle(in);
    }
    if (by_key && (target_.identity_file.empty() || has_agent())) {
      if (auto in = with_agent_or_defaults(); !in || *in) return settle(in);
    }
    if (!target_.password_env.empty() || !target_.password_command.empty()) {
      if (auto in = with_password(); !in || *in) return settle(in);
    }
    return fail(refused());
  }

 private:
  static Result<void> settle(Result<bool>& in) {
    if (!in) return fail(std::move(in.error()));
    return {};
  }

  // True: logged in. False: not by this way (noted as `what`).
  Result<bool> attempt(const std::string& what, const std::function<int()>& call) {
    auto answer = ssh_wait(session_, deadline_, stop_, call, SSH_AUTH_AGAIN);
    if (!answer) return fail(std::move(answer.error()));
    if (*answer == SSH_AUTH_SUCCESS) return true;
    if (::ssh_is_connected(session_) == 0) {
      return fail({.code = codes::auth_failed,
                   .message = ssh_description(target_) + " hung up during the login (" +
                              clean_host_text(::ssh_get_error(session_), 200) + ")" + so_far() +
                              ". Nothing was run.",
                   .remedy = "An agent with many keys can use up the attempts that the host allows "
                             "(its MaxAuthTries): name the right key as identity_file.",
                   .retryable = false});
    }
    if (!what.empty()) {
      note(what + (*answer == SSH_AUTH_PARTIAL ? " (accepted, but not enough)" : " (refused)"));
    }
    if (*answer == SSH_AUTH_PARTIAL) methods_ = ::ssh_userauth_list(session_, nullptr);
    return false;
  }

  Result<bool> with_identity_file() {
    const std::string file = target_.identity_file.string();
    const std::string name = "key " + file;
    std::optional<Secret> passphrase;
    if (!target_.passphrase_command.empty()) {
      auto secret = Secret::from_command(target_.passphrase_command, "passphrase_command", stop_);
      if (!secret) return fail(std::move(secret.error()));
      passphrase.emplace(std::move(*secret));
    }
    ssh_key raw = nullptr;
    const int read = ::ssh_pki_import_privkey_file(
        file.c_str(), passphrase ? passphrase->c_str() : nullptr, nullptr, nullptr, &raw);
    const Key key(raw);
    if (read != SSH_OK) {
      std::error_code ignored;
      if (!std::filesystem::exists(file, ignored)) {
        note(name + " (there is no such file)");
      } else if (read == SSH_EOF) {
        note(name + " (can't be read)");
      } else {
        note(name + (passphrase ? " (passphrase_command gave a wrong passphrase, or it is no key)"
                                : " (needs a passphrase, or is no key)"));
      }
      return false;
    }
    if (!target_.certificate_file.empty()) {
      ssh_key certificate = nullptr;
      if (::ssh_pki_import_cert_file(target_.certificate_file.c_str(), &certificate) != SSH_OK) {
        note("certificate " + target_.certificate_file.string() + " (can't be read)");
        return false;
      }
      const Key owned(certificate);
      if (::ssh_pki_copy_cert_to_privkey(certificate, key.get()) != SSH_OK) {
        note("certificate " + target_.certificate_file.string() + " (is not of that key)");
        return false;
      }
    }
    return attempt(name + (target_.certificate_file.empty()
                               ? ""
                               : " with certificate " + target_.certificate_file.string()),
                   [&] { return ::ssh_userauth_publickey(session_, nullptr, key.get()); });
  }

  bool has_agent() const {
    const char* const socket = std::getenv("SSH_AUTH_SOCK");
    return !target_.identity_agent.empty() || (socket != nullptr && *socket != '\0');
  }

  Result<bool> with_agent_or_defaults() {
    if (!target_.identity_file.empty()) {
      return attempt("agent", [&] { return ::ssh_userauth_agent(session_, nullptr); });
    }
    return attempt(has_agent() ? "agent and the usual keys" : "the usual keys (there is no agent)",
                   [&] { return ::ssh_userauth_publickey_auto(session_, nullptr, nullptr); });
  }

  Result<bool> with_password() {
    auto password = target_.password_env.empty()
                        ? Secret::from_command(target_.password_command, "password_command", stop_)
                        : Secret::from_variable(target_.password_env);
    if (!password) return fail(std::move(password.error()));
    if ((methods_ & SSH_AUTH_METHOD_PASSWORD) != 0) {
      return attempt("password",
                     [&] { return ::ssh_userauth_password(session_, nullptr, password->c_str()); });
    }
    if ((methods_ & SSH_AUTH_METHOD_INTERACTIVE) == 0) {
      note("password (the host takes none)");
      return false;
    }
    int rounds = 0;
    return attempt("password, by keyboard-interactive", [&] {
      int answer = ::ssh_userauth_kbdint(session_, nullptr, nullptr);
      while (answer == SSH_AUTH_INFO && ++rounds < 10) {
        const int prompts = ::ssh_userauth_kbdint_getnprompts(session_);
        for (int i = 0; i < prompts; ++i) {
          char echo = 0;
          ::ssh_userauth_kbdint_getprompt(session_, static_cast<unsigned>(i), &echo);
          ::ssh_userauth_kbdint_setanswer(session_, static_cast<unsigned>(i),
                                          echo == 0 ? password->c_str() : "");
        }
        answer = ::ssh_userauth_kbdint(session_, nullptr, nullptr);
      }
      return answer == SSH_AUTH_INFO ? SSH_AUTH_DENIED : answer;
    });
  }

  void note(const std::string& what) { tried_ += (tried_.empty() ? "" : ", ") + what; }
  std::string so_far() const { return tried_.empty() ? "" : " after: " + tried_; }

  std::string accepted_methods() const {
    std::string names;
    const auto add = [&](int method, const char* name) {
      if ((methods_ & method) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
    };
    add(SSH_AUTH_METHOD_PUBLICKEY, "publickey");
    add(SSH_AUTH_METHOD_PASSWORD, "password");
    add(SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive");
    add(SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic");
    add(SSH_AUTH_METHOD_HOSTBASED, "hostbased");
    return names.empty() ? "nothing it names" : names;
  }

  Error refused() const {
    return {.code = codes::auth_failed,
            .message = "Login refused by " + ssh_description(target_) +
                       ". Tried: " + (tried_.empty() ? "nothing that it would take" : tried_) +
                       ". The host takes: " + accepted_methods() + ". Nothing was run.",
            .remedy =
                "Name the right user, and a key (identity_file), an agent (identity_agent) or "
                "a password (password_env, password_command) in the target. The key's public "
                "half must be in ~/.ssh/authorized_keys there.",
            .who = Who::user,
            .details = {{"tried", tried_}, {"host_takes", accepted_methods()}}};
  }

  ssh_session session_;
  const Target& target_;
  std::chrono::steady_clock::time_point deadline_;
  std::stop_token stop_;
  std::string tried_;
  int methods_ = 0;
};

}  // namespace

Result<void> authenticate(ssh_session session, const Target& target,
                          std::chrono::steady_clock::time_point deadline,
                          const std::stop_token& stop) {
  return Login(session, target, deadline, stop).run();
}

}  // namespace npuprof
