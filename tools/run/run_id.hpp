#pragma once

#include <string>

#include "core/clock.hpp"

namespace npuprof::run {

// "<target>-<yyyymmdd-hhmmss>-<8 random base32 digits>": readable, unguessable, fit to be a file
// name here and on the host.
std::string make_run_id(const std::string& target, Clock::System::time_point now);

// True for what may be a run's id. Anything else must not become part of a path.
bool is_run_id(const std::string& text);

}  // namespace npuprof::run
