#pragma once

#include <cstdint>

namespace npuprof::evidence {

// Every figure that a check or the warm-up verdict compares with, in one place. docs/anomalies.md
// says where each comes from.
struct Thresholds {
  // Steps.
  int min_window_steps = 5;
  int min_settled_steps = 3;  // a leaky window with as many steps behind the leak is still of use

  // First steps against the settled ones.
  double leak_ratio = 1.3;
  double leak_margin = 0.15;  // a first step must stand out by this and so many
  double leak_ranges = 1.5;   // ranges of the other steps
  int min_steps_to_compare = 3;
  std::uint64_t min_kernel_repeats = 4;  // fewer common repeats of all kernels may be chance
  std::size_t min_kernel_types = 3;

  // Calls that compile or set up, by duration: a warm step has many short ones.
  double op_compile_us = 5'000;
  double compile_and_execute_us = 20'000;
  double workspace_first_call_us = 20'000;
  double workspace_ratio = 100;
  double workspace_warm_us = 5'000;
  double binary_load_us = 100;
  double dynamo_us = 20'000;

  // A wait of the device for the host before the first kernel of a name.
  double jit_gap_us = 100'000;
  double jit_gap_ratio = 50;
  double gap_covered_by_communication = 0.5;

  // Totals that should agree.
  double totals_relative = 0.01;
  double totals_note_relative = 1e-4;
  double totals_rounding_us = 0.001;  // a row
  double step_parts_relative = 0.01;
  double step_parts_us = 50;
  double op_ratio_percent = 1.0;

  double spillover_share = 0.05;  // of kernel time
  std::int64_t stale_slack_ns = 2'000'000'000;
  std::int64_t skew_ns = 60'000'000'000;
  std::int64_t trace_span_slack_ns = 1'000'000;
};

inline constexpr Thresholds thresholds{};

}  // namespace npuprof::evidence
