#pragma once

#include <memory>

#include "core/tool.hpp"
#include "run/runs.hpp"

namespace npuprof::collect_profile {

// The tool `collect_profile`. `runs` must outlive it.
std::unique_ptr<Tool> make_collect_profile(run::Runs& runs);

}  // namespace npuprof::collect_profile
