#include "evidence/statistic_tables.hpp"

#include <algorithm>

#include "evidence/decimal.hpp"

namespace npuprof::evidence {
namespace {

void note_missing(const Columns& columns, std::initializer_list<std::string_view> names,
                  std::vector<std::string>& missing) {
  for (const auto name : names) {
    if (!columns.has(name)) missing.emplace_back(name);
  }
}

}  // namespace

bool ApiTable::recognises(const Columns& columns) {
  return columns.has("API Name") && columns.has("Max(us)");
}

void ApiTable::header(const CsvRow& row) {
  columns_ = Columns(row);
  note_missing(columns_,
               {"Level", "API Name", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)"},
               facts_.missing_columns);
}

void ApiTable::row(const CsvRow& row) {
  const auto count = integer(row.raw(columns_.find({"Count"})));
  const auto total = number(row.raw(columns_.find({"Time(us)"})));
  const auto shortest = number(row.raw(columns_.find({"Min(us)"})));
  const auto longest = number(row.raw(columns_.find({"Max(us)"})));
  if (!count || *count < 0 || !total || !shortest || !longest) {
    ++facts_.unreadable_rows;
    return;
  }
  ApiTimes* times = facts_.calls.find_or_add(trimmed(row.raw(columns_.find({"API Name"}))));
  if (times == nullptr) return;
  times->min_us = times->count == 0 ? *shortest : std::min(times->min_us, *shortest);
  times->max_us = std::max(times->max_us, *longest);
  times->count += static_cast<std::uint64_t>(*count);
  times->total_us += *total;
}

bool OpTable::recognises(const Columns& columns) {
  return columns.has("OP Type") && columns.has("Core Type") && columns.has("Count");
}

void OpTable::header(const CsvRow& row) {
  columns_ = Columns(row);
  note_missing(columns_,
               {"OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)",
                "Max Time(us)", "Ratio(%)"},
               facts_.missing_columns);
}

void OpTable::row(const CsvRow& row) {
  const auto count = integer(row.raw(columns_.find({"Count"})));
  const auto total = number(row.raw(columns_.find({"Total Time(us)"})));
  if (!count || *count < 0 || !total) {
    ++facts_.unreadable_rows;
    return;
  }
  ++facts_.rows;
  facts_.count += static_cast<std::uint64_t>(*count);
  facts_.total_us += *total;
  facts_.ratio_percent += number(row.raw(columns_.find({"Ratio(%)"}))).value_or(0);
}

}  // namespace npuprof::evidence
