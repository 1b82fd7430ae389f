#include "schemas/schemas.hpp"

#include <stdexcept>
#include <string>

namespace npuprof::schemas {

std::string_view embedded(std::string_view name);

nlohmann::json load(std::string_view name) {
  const auto text = embedded(std::string(name) + ".schema.json");
  if (text.empty()) throw std::logic_error("no schema named " + std::string(name));
  return nlohmann::json::parse(text);
}

}  // namespace npuprof::schemas
