#include "evidence/step_table.hpp"

#include "evidence/decimal.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_steps = 20'000;
constexpr std::string_view not_overlapped = "Communication(Not Overlapped)";

}  // namespace

bool StepTable::recognises(const Columns& columns) {
  return columns.has("Computing") && columns.has("Free") && !columns.has("Type");
}

void StepTable::header(const CsvRow& row) {
  columns_ = Columns(row);
  for (const std::string_view name :
       {std::string_view("Step"), std::string_view("Computing"), not_overlapped,
        std::string_view("Overlapped"), std::string_view("Communication"), std::string_view("Free"),
        std::string_view("Stage"), std::string_view("Bubble")}) {
    if (!columns_.has(name)) facts_.missing_columns.emplace_back(name);
  }
}

void StepTable::row(const CsvRow& row) {
  bool readable = true;
  const auto value = [&](std::string_view column, double& out) {
    const std::size_t place = columns_.find({column});
    if (place == Columns::none) return;
    const auto read = number(row.raw(place));
    if (read) {
      out = *read;
    } else {
      readable = false;
    }
  };
  StepTimes times;
  value("Computing", times.computing);
  value(not_overlapped, times.communication_not_overlapped);
  value("Overlapped", times.overlapped);
  value("Communication", times.communication);
  value("Free", times.free);
  value("Stage", times.stage);
  value("Bubble", times.bubble);
  if (!readable) {
    ++facts_.unreadable_rows;
    return;
  }
  times.step = integer(row.raw(columns_.find({"Step"})));
  times.device = trimmed(row.raw(columns_.find({"Device_id"})));
  times.preparing = number(row.raw(columns_.find({"Preparing"})));
  if (facts_.steps.size() >= max_steps) {
    facts_.cut = true;
    return;
  }
  facts_.steps.push_back(std::move(times));
}

}  // namespace npuprof::evidence
