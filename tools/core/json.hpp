#pragma once

#include <nlohmann/json.hpp>

namespace npuprof {

using Json = nlohmann::json;

}  // namespace npuprof
