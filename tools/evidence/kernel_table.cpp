#include "evidence/kernel_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/decimal.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_steps = 20'000;
constexpr std::size_t max_spans = 4096;
constexpr std::int64_t shortest_span_ns = 1'000'000;
constexpr std::size_t max_labels = 256;

// In the order in which every known release writes them.
constexpr std::array<std::string_view, 22> known_order = {
    "Step Id",          "Device_id",      "Model ID",      "Task ID",
    "Stream ID",        "Name",           "Type",          "OP State",
    "Accelerator Core", "Start Time(us)", "Duration(us)",  "Wait Time(us)",
    "Block Dim",        "Mix Block Dim",  "HF32 Eligible", "Input Shapes",
    "Input Data Types", "Input Formats",  "Output Shapes", "Output Data Types",
    "Output Formats",   "Context ID"};

std::string_view canonical(std::string_view column) {
  if (column == "Op Name") return "Name";
  if (column == "OP Type") return "Type";
  if (column == "Task Type") return "Accelerator Core";
  if (column == "Task Start Time(us)" || column == "Task Start Time") return "Start Time(us)";
  if (column == "Task Duration(us)") return "Duration(us)";
  if (column == "Task Wait Time(us)") return "Wait Time(us)";
  if (column == "Block Num") return "Block Dim";
  if (column == "Mix Block Num") return "Mix Block Dim";
  return column;
}

bool is_none(std::string_view cell) {
  return cell.empty() || cell == "N/A";
}

KernelClass class_of(std::string_view core, std::string_view type, std::string_view name) {
  if (core == "HCCL" || core == "COMMUNICATION") return KernelClass::communication;
  if (is_none(core) && (type.starts_with("hcom_") || name.starts_with("hcom_"))) {
    return KernelClass::communication;
  }
  if (core == "AI_CPU" || core == "AICPU") return KernelClass::ai_cpu;
  return KernelClass::compute;
}

void add(KernelSums& sums, double duration, double wait) {
  ++sums.rows;
  sums.duration_us += duration;
  sums.wait_us += wait;
  sums.max_us = std::max(sums.max_us, duration);
}

void widen(std::optional<std::int64_t>& first, std::optional<std::int64_t>& last,
           std::int64_t start, std::int64_t end) {
  first = std::min(first.value_or(start), start);
  last = std::max(last.value_or(end), end);
}

void count(std::map<std::string, std::uint64_t>& rows, std::string_view label, std::string& last,
           std::uint64_t*& last_rows) {
  if (last_rows == nullptr || last != label) {
    last.assign(label);
    last_rows = nullptr;
    if (rows.size() >= max_labels && !rows.contains(last)) return;
    last_rows = &rows[last];
  }
  ++*last_rows;
}

}  // namespace

bool KernelTable::recognises(const Columns& columns) {
  return columns.find({"Name", "Op Name"}) != Columns::none &&
         columns.find({"Accelerator Core", "Task Type"}) != Columns::none &&
         columns.find({"Duration(us)", "Task Duration(us)"}) != Columns::none;
}

void KernelTable::header(const CsvRow& row) {
  const Columns columns(row);
  step_ = columns.find({"Step Id"});
  device_ = columns.find({"Device_id"});
  name_ = columns.find({"Name", "Op Name"});
  type_ = columns.find({"Type", "OP Type"});
  core_ = columns.find({"Accelerator Core", "Task Type"});
  start_ = columns.find({"Start Time(us)", "Task Start Time(us)", "Task Start Time"});
  duration_ = columns.find({"Duration(us)", "Task Duration(us)"});
  wait_ = columns.find({"Wait Time(us)", "Task Wait Time(us)"});
  facts_.has_step_column |= step_ != Columns::none;

  std::vector<std::string> present;
  for (const auto& name : columns.names()) present.emplace_back(canonical(name));
  const auto has = [&](std::string_view name) {
    return std::find(present.begin(), present.end(), name) != present.end();
  };
  const auto require = [&](std::initializer_list<std::string_view> names, bool all) {
    if (!all && std::none_of(names.begin(), names.end(), has)) return;
    for (const auto name : names) {
      if (!has(name)) facts_.missing_columns.emplace_back(name);
    }
  };
  require({"Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)",
           "Block Dim"},
          true);
  // These come together or not at all.
  require({"Model ID", "Task ID", "Stream ID"}, false);
  require({"Input Shapes", "Input Data Types", "Input Formats", "Output Shapes",
           "Output Data Types", "Output Formats"},
          false);
  require({"aicore_time(us)", "aic_total_cycles"}, false);

  std::size_t latest = 0;
  for (const auto& name : present) {
    const auto* known = std::find(known_order.begin(), known_order.end(), name);
    if (known == known_order.end()) continue;
    const auto place = static_cast<std::size_t>(known - known_order.begin());
    if (place < latest) facts_.misplaced_columns.push_back(name);
    latest = std::max(latest, place);
  }

  pmu_.clear();
  for (std::size_t i = 0; i < columns.names().size(); ++i) {
    const std::string& column = columns.names()[i];
    if (column == "aicore_time(us)" || column == "aiv_time(us)") facts_.has_pmu_columns = true;
    if (!column.starts_with("aic_") && !column.starts_with("aiv_") && !column.starts_with("mac_") &&
        !column.starts_with("vec_") && !column.starts_with("mte")) {
      continue;
    }
    for (const std::string_view family : {"mac", "vec", "mte2", "mte3"}) {
      const auto at = column.find(family);
      if (at == std::string::npos || (at != 0 && column[at - 1] != '_')) continue;
      pmu_.push_back({i, &facts_.pmu_families[std::string(family)]});
    }
  }
}

void KernelTable::row(const CsvRow& row) {
  ++facts_.rows;
  const std::string_view start_cell = row.raw(start_);
  const auto start = nanoseconds(start_cell);
  const auto duration = number(row.raw(duration_));
  if (!start || !duration || *duration < 0) {
    ++facts_.unreadable_rows;
    if (facts_.first_unreadable.empty()) {
      facts_.first_unreadable = (start ? row.raw(duration_) : start_cell).substr(0, 60);
    }
    return;
  }
  const double wait = number(row.raw(wait_)).value_or(0);
  std::optional<std::int64_t> step;
  if (step_ != Columns::none) {
    step = integer(row.raw(step_));
    if (!step) {
      ++facts_.blank_step_rows;
      facts_.blank_step_us += *duration;
      return;
    }
  }

  const std::string_view name = trimmed(row.raw(name_));
  const std::string_view type = trimmed(row.raw(type_));
  const std::string_view core = trimmed(row.raw(core_));
  const KernelClass kind = class_of(core, type, name);
  const std::int64_t end = *start + std::llround(*duration * 1000);
  if (!is_none(core) && kind != KernelClass::communication) facts_.has_types = true;
  widen(facts_.first_start_ns, facts_.last_end_ns, *start, end);

  const bool communicates = kind == KernelClass::communication;
  add(communicates ? facts_.communication : facts_.compute, *duration, wait);
  if (kind == KernelClass::ai_cpu) {
    add(facts_.ai_cpu, *duration, wait);
    if (auto* sums = facts_.ai_cpu_types.find_or_add(is_none(type) ? name : type)) {
      add(*sums, *duration, wait);
    }
  }
  if (communicates) {
    add_communication_span(*start, end);
  } else {
    add_waits(name, *start, wait);
  }
  if (auto* sums = facts_.types.find_or_add(is_none(type) ? name : type)) {
    add(*sums, *duration, wait);
  }
  count(facts_.cores, core, last_core_, last_core_rows_);
  if (device_ != Columns::none) {
    count(facts_.devices, trimmed(row.raw(device_)), last_device_, last_device_rows_);
  }
  if (StepKernels* kernels = step ? step_kernels(*step) : nullptr) {
    ++kernels->rows;
    (communicates ? kernels->communication_us : kernels->compute_us) += *duration;
    if (kind == KernelClass::ai_cpu) kernels->ai_cpu_us += *duration;
    widen(kernels->first_start_ns, kernels->last_end_ns, *start, end);
  }
  std::erase_if(pmu_, [&](const PmuColumn& column) {
    if (!*column.has_value && !is_none(trimmed(row.raw(column.place)))) *column.has_value = true;
    return *column.has_value;
  });
}

StepKernels* KernelTable::step_kernels(std::int64_t step) {
  if (last_step_kernels_ != nullptr && last_step_ == step) return last_step_kernels_;
  if (facts_.steps.size() >= max_steps && !facts_.steps.contains(step)) {
    facts_.steps_cut = true;
    return nullptr;
  }
  last_step_ = step;
  last_step_kernels_ = &facts_.steps[step];
  return last_step_kernels_;
}

void KernelTable::add_waits(std::string_view name, std::int64_t start, double wait) {
  NameWaits* waits = facts_.waits.find_or_add(name);
  if (waits == nullptr) return;
  if (waits->count++ == 0) {
    waits->first_start_ns = start;
    waits->first_wait_us = wait;
    return;
  }
  if (start < waits->first_start_ns) {  // rows need not be in the order of time
    waits->first_start_ns = start;
    std::swap(waits->first_wait_us, wait);
  }
  waits->longest_later_wait_us = std::max(waits->longest_later_wait_us, wait);
}

void KernelTable::add_communication_span(std::int64_t start, std::int64_t end) {
  auto& spans = facts_.communication_spans;
  if (end - start < shortest_span_ns) return;
  if (spans.size() >= max_spans) {
    const auto middle = spans.begin() + max_spans / 2;
    std::nth_element(spans.begin(), middle, spans.end(), [](const auto& a, const auto& b) {
      return a.second - a.first > b.second - b.first;
    });
    spans.erase(middle, spans.end());
  }
  spans.emplace_back(start, end);
}

}  // namespace npuprof::evidence
