#pragma once

#include <string>
#include <vector>

#include "config/target.hpp"
#include "core/check.hpp"
#include "core/error.hpp"

namespace npuprof::precheck {

// connection, host_key, login and container of a target that was reached.
std::vector<Check> reached(const Target& target);

// The same of one that was not: what came before the failure passed, what comes after it is
// skipped.
std::vector<Check> not_reached(const Target& target, const Error& error);

}  // namespace npuprof::precheck
