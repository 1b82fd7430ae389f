#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evidence/csv_reader.hpp"

namespace npuprof::evidence {

// The header of a table: where each column stands.
class Columns {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Columns() = default;
  explicit Columns(const CsvRow& header);

  // The first of the names that the table has, or `none`.
  std::size_t find(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return find({name}) != none; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace npuprof::evidence
