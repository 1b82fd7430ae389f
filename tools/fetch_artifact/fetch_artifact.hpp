#pragma once

#include <memory>

#include "core/tool.hpp"
#include "run/runs.hpp"

namespace npuprof::fetch_artifact {

// The tool `fetch_artifact`. `runs` must outlive it.
std::unique_ptr<Tool> make_fetch_artifact(run::Runs& runs);

}  // namespace npuprof::fetch_artifact
