#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evidence/bounded_map.hpp"
#include "evidence/columns.hpp"

namespace npuprof::evidence {

// What a kernel row is by its core column.
enum class KernelClass { compute, communication, ai_cpu };

struct KernelSums {
  std::uint64_t rows = 0;
  double duration_us = 0;
  double wait_us = 0;
  double max_us = 0;
};

struct StepKernels {
  std::uint64_t rows = 0;
  double compute_us = 0;  // AI CPU kernels included
  double communication_us = 0;
  double ai_cpu_us = 0;
  std::optional<std::int64_t> first_start_ns;
  std::optional<std::int64_t> last_end_ns;
};

// The waits before kernels of one name: the first of them may hide a compilation on the host.
struct NameWaits {
  std::uint64_t count = 0;
  std::int64_t first_start_ns = 0;
  double first_wait_us = 0;
  double longest_later_wait_us = 0;
};

// What is known of kernel_details.csv, op_summary_*.csv and their slices, summed over all of a
// profile.
struct KernelFacts {
  std::uint64_t rows = 0;
  std::uint64_t blank_step_rows = 0;  // spill-over: excluded from every other figure but `rows`
  double blank_step_us = 0;
  std::uint64_t unreadable_rows = 0;  // start or duration is no number
  std::string first_unreadable;       // the cell
  bool has_step_column = false;
  bool has_pmu_columns = false;
  bool has_types = false;  // some row says its type or core (Level0 does not)
  std::optional<std::int64_t> first_start_ns;
  std::optional<std::int64_t> last_end_ns;
  KernelSums compute;
  KernelSums communication;
  KernelSums ai_cpu;  // part of compute
  std::map<std::int64_t, StepKernels> steps;
  bool steps_cut = false;  // more steps than are kept
  BoundedMap<KernelSums> types;
  BoundedMap<KernelSums> ai_cpu_types{5'000};
  BoundedMap<NameWaits> waits;
  std::map<std::string, std::uint64_t> cores;
  std::map<std::string, std::uint64_t> devices;
  std::vector<std::string> missing_columns;
  std::vector<std::string> misplaced_columns;
  std::map<std::string, bool> pmu_families;  // "mac", "vec", "mte2", "mte3": has a value
  // Long communication kernels, to tell a wait for them from a wait for the host.
  std::vector<std::pair<std::int64_t, std::int64_t>> communication_spans;
};

class KernelTable : public CsvSink {
 public:
  // Adds to `facts`, which several tables of a profile share and which must outlive this.
  explicit KernelTable(KernelFacts& facts) : facts_(facts) {}

  // Does the header look like that of a kernel table, whatever the file's name?
  static bool recognises(const Columns& columns);

  void header(const CsvRow& row) override;
  void row(const CsvRow& row) override;

 private:
  struct PmuColumn {
    std::size_t place;
    bool* has_value;
  };

  StepKernels* step_kernels(std::int64_t step);
  void add_waits(std::string_view name, std::int64_t start, double wait);
  void add_communication_span(std::int64_t start, std::int64_t end);

  KernelFacts& facts_;
  std::size_t step_ = Columns::none, device_ = Columns::none, name_ = Columns::none,
              type_ = Columns::none, core_ = Columns::none, start_ = Columns::none,
              duration_ = Columns::none, wait_ = Columns::none;
  std::vector<PmuColumn> pmu_;
  std::string last_core_;  // neighbours mostly share these, so that few rows search the maps
  std::uint64_t* last_core_rows_ = nullptr;
  std::string last_device_;
  std::uint64_t* last_device_rows_ = nullptr;
  std::int64_t last_step_ = 0;
  StepKernels* last_step_kernels_ = nullptr;
};

}  // namespace npuprof::evidence
