#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/columns.hpp"

namespace npuprof::evidence {

// A row of step_trace_time.csv; all in microseconds.
struct StepTimes {
  std::optional<std::int64_t> step;  // none without a schedule
  std::string device;                // "" in releases without the column
  double computing = 0;
  double communication_not_overlapped = 0;
  double overlapped = 0;
  double communication = 0;
  double free = 0;
  double stage = 0;
  double bubble = 0;
  std::optional<double> preparing;

  double length() const { return computing + communication_not_overlapped + free; }
};

struct StepFacts {
  std::vector<StepTimes> steps;  // in the order of the file, at most 20,000
  bool cut = false;
  std::uint64_t unreadable_rows = 0;
  std::vector<std::string> missing_columns;
};

class StepTable : public CsvSink {
 public:
  explicit StepTable(StepFacts& facts) : facts_(facts) {}
  static bool recognises(const Columns& columns);
  void header(const CsvRow& row) override;
  void row(const CsvRow& row) override;

 private:
  StepFacts& facts_;
  Columns columns_;
};

}  // namespace npuprof::evidence
