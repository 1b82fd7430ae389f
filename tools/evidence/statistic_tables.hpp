#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evidence/bounded_map.hpp"
#include "evidence/columns.hpp"

namespace npuprof::evidence {

struct ApiTimes {
  std::uint64_t count = 0;
  double total_us = 0;
  double min_us = 0;
  double max_us = 0;
};

// api_statistic.csv: host calls, "acl" level and others, by name.
struct ApiFacts {
  BoundedMap<ApiTimes> calls{20'000};
  std::uint64_t unreadable_rows = 0;
  std::vector<std::string> missing_columns;
};

class ApiTable : public CsvSink {
 public:
  explicit ApiTable(ApiFacts& facts) : facts_(facts) {}
  static bool recognises(const Columns& columns);
  void header(const CsvRow& row) override;
  void row(const CsvRow& row) override;

 private:
  ApiFacts& facts_;
  Columns columns_;
};

// op_statistic.csv: kernels by type.
struct OpFacts {
  std::uint64_t rows = 0;
  std::uint64_t count = 0;  // kernels, over all rows
  double total_us = 0;
  double ratio_percent = 0;  // about 100 in a whole table (for each device)
  std::uint64_t unreadable_rows = 0;
  std::vector<std::string> missing_columns;
};

class OpTable : public CsvSink {
 public:
  explicit OpTable(OpFacts& facts) : facts_(facts) {}
  static bool recognises(const Columns& columns);
  void header(const CsvRow& row) override;
  void row(const CsvRow& row) override;

 private:
  OpFacts& facts_;
  Columns columns_;
};

}  // namespace npuprof::evidence
