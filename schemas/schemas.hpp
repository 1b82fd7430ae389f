#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace npuprof::schemas {

// The schema document schemas/<name>.schema.json. An unknown name is a bug: throws
// std::logic_error.
nlohmann::json load(std::string_view name);

}  // namespace npuprof::schemas
