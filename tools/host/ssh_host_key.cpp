#include "host/ssh_host_key.hpp"

#include <memory>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "host/ssh_login.hpp"

namespace npuprof {
namespace {

// "SHA256:..." as ssh-keygen -l shows it, or "".
std::string fingerprint(ssh_session session) {
  ssh_key key = nullptr;
  if (::ssh_get_server_publickey(session, &key) != SSH_OK) return {};
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  std::string text;
  if (::ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) == SSH_OK) {
    char* const words = ::ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
    if (words != nullptr) text = words;
    ::ssh_string_free_char(words);
    ::ssh_clean_pubkey_hash(&hash);
  }
  ::ssh_key_free(key);
  return text;
}

// The file that was read: the target's, that of the ssh configuration, or the usual one.
std::string known_hosts_file(ssh_session session) {
  char* path = nullptr;
  if (::ssh_options_get(session, SSH_OPTIONS_KNOWNHOSTS, &path) != SSH_OK || path == nullptr)
    return "~/.ssh/known_hosts";
  std::string text(path);
  ::ssh_string_free_char(path);
  return text;
}

std::string known_hosts_line(ssh_session session) {
  char* line = nullptr;
  if (::ssh_session_export_known_hosts_entry(session, &line) != SSH_OK || line == nullptr)
    return {};
  std::string text(line);
  ::ssh_string_free_char(line);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<void> check_host_key(ssh_session session, const Target& target) {
  const auto found = ::ssh_session_is_known_server(session);
  if (found == SSH_KNOWN_HOSTS_OK) return {};

  const std::string host = ssh_description(target);
  const std::string file = known_hosts_file(session);
  const std::string print = fingerprint(session);
  const std::string line = known_hosts_line(session);
  const Json details = {{"fingerprint", print}, {"known_hosts", file}, {"line", line}};
  if (found == SSH_KNOWN_HOSTS_CHANGED || found == SSH_KNOWN_HOSTS_OTHER) {
    return fail({.code = codes::host_key_changed,
                 .message = "The key of " + host + " (" + print +
                            ") is not the one that is known for it in " + file +
                            ": somebody may be listening in, or the host was set up anew. No login "
                            "was tried, nothing was run.",
                 .remedy = "Ask the host's administrator for its fingerprint. If it is the one "
                           "above, replace the host's lines in " +
                           file + " by: " + line,
                 .who = Who::user,
                 .details = details});
  }
  if (found == SSH_KNOWN_HOSTS_ERROR) {
    return fail({.code = codes::host_key_unknown,
                 .message = "known_hosts of " + host + " can't be read (" +
                            clean_host_text(::ssh_get_error(session), 200) +
                            "). No login was tried, nothing was run.",
                 .remedy = "Correct " + file + ".",
                 .who = Who::user,
                 .details = details});
  }
  return fail({.code = codes::host_key_unknown,
               .message = "The host key of " + host + " is not known (" + print +
                          "). No login was tried, nothing was run.",
               .remedy = "Compare the fingerprint with what the host's administrator says (on the "
                         "host: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub), then add this "
                         "line to " +
                         file + ": " + line,
               .who = Who::user,
               .details = details});
}

}  // namespace npuprof
