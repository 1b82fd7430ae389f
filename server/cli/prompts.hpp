#pragma once

#include <memory>
#include <vector>

#include "core/prompt.hpp"

namespace npuprof::cli {

// The texts that a user may begin a conversation with.
std::vector<std::unique_ptr<Prompt>> make_prompts();

}  // namespace npuprof::cli
