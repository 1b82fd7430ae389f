#pragma once

#include "host/host.hpp"

namespace npuprof {

// INVALID_ARGUMENTS for a command that no host could run as it is: no program, a NUL byte, or a
// variable whose name a shell can't set.
Result<void> check_command(const Command& command);

}  // namespace npuprof
