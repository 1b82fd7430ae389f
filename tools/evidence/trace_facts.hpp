#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "evidence/bounded_map.hpp"
#include "evidence/trace_reader.hpp"

namespace npuprof::evidence {

struct CallTimes {
  std::uint64_t count = 0;
  double total_us = 0;
  double max_us = 0;
  std::int64_t longest_at_ns = 0;
  std::string longest;  // the name of the longest
};

// First calls of an API take long where something is set up or compiled, later ones don't.
struct CallRange {
  std::uint64_t count = 0;
  double min_us = 0;
  double max_us = 0;
};

struct ProcessEvents {
  std::string name;
  std::uint64_t events = 0;  // complete events ("X")
  std::optional<std::int64_t> first_ns;
  std::optional<std::int64_t> last_ns;
  double computing_us = 0;  // of "Overlap Analysis"
  double free_us = 0;
  std::uint64_t communication_kernels = 0;  // named hcom_*
};

struct TraceStep {
  std::int64_t start_ns = 0;
  double duration_us = 0;
};

// What is known of trace_view.json (or msprof_*.json, several of them: slices).
struct TraceFacts {
  std::uint64_t complete_events = 0;
  std::uint64_t metadata_events = 0;
  std::uint64_t counter_events = 0;
  std::uint64_t flow_starts = 0;
  std::uint64_t flow_ends = 0;
  std::uint64_t other_events = 0;
  std::uint64_t untimed_events = 0;   // complete, but without a readable time
  std::uint64_t operator_events = 0;  // category cpu_op, the steps left out
  std::uint64_t cann_calls = 0;       // AscendCL@ and Node@ events: the layer where compiles show
  std::map<std::int64_t, ProcessEvents> processes;
  bool processes_cut = false;
  std::map<std::int64_t, TraceStep> steps;  // by the number of ProfilerStep#
  CallTimes compile_and_execute;            // aclopCompileAndExecute, also V2
  CallTimes op_compile;
  CallTimes binary_load;
  CallTimes set_device;
  CallTimes create_stream;
  CallTimes dynamo;  // names ending in (dynamo_timed)
  BoundedMap<CallRange> workspace_calls{5'000};
};

class TraceCollector : public TraceSink {
 public:
  explicit TraceCollector(TraceFacts& facts) : facts_(facts) {}
  void events(std::span<const TraceEvent> batch) override;

 private:
  void complete(const TraceEvent& event);
  void host_call(const TraceEvent& event, std::string_view call);
  ProcessEvents* process(std::int64_t pid);

  TraceFacts& facts_;
  std::int64_t last_pid_ = 0;
  ProcessEvents* last_process_ = nullptr;
};

}  // namespace npuprof::evidence
