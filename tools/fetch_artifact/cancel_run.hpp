#pragma once

#include <memory>

#include "core/tool.hpp"
#include "run/runs.hpp"

namespace npuprof::fetch_artifact {

// The tool `cancel_run`. `runs` must outlive it.
std::unique_ptr<Tool> make_cancel_run(run::Runs& runs);

}  // namespace npuprof::fetch_artifact
