#include "evidence/columns.hpp"

#include <algorithm>

#include "evidence/decimal.hpp"

namespace npuprof::evidence {

Columns::Columns(const CsvRow& header) {
  const std::size_t count = std::min(header.fields(), CsvReader::max_cells);
  for (std::size_t i = 0; i < count; ++i) {
    names_.emplace_back(trimmed(header.raw(i)));
    places_.try_emplace(names_.back(), i);
  }
}

std::size_t Columns::find(std::initializer_list<std::string_view> names) const {
  for (const auto name : names) {
    if (const auto place = places_.find(std::string(name)); place != places_.end()) {
      return place->second;
    }
  }
  return none;
}

}  // namespace npuprof::evidence
