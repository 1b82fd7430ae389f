#pragma once

#include <libssh/libssh.h>

#include "config/target.hpp"
#include "core/error.hpp"

namespace npuprof {

// Refuses a host whose key is not in known_hosts: HOST_KEY_UNKNOWN with the key's fingerprint and
// the line to add, HOST_KEY_CHANGED where another key is known for it. Nothing is ever added.
Result<void> check_host_key(ssh_session session, const Target& target);

}  // namespace npuprof
