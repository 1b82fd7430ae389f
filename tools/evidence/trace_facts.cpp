#include "evidence/trace_facts.hpp"

#include <algorithm>
#include <cmath>

#include "evidence/decimal.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_processes = 4096;
constexpr std::size_t max_steps = 20'000;

void add(CallTimes& times, const TraceEvent& event) {
  const double duration = event.duration_us.value_or(0);
  ++times.count;
  times.total_us += duration;
  if (times.count > 1 && duration <= times.max_us) return;
  times.max_us = duration;
  times.longest_at_ns = event.start_ns.value_or(0);
  times.longest.assign(event.name.substr(0, 200));
}

}  // namespace

ProcessEvents* TraceCollector::process(std::int64_t pid) {
  if (last_process_ != nullptr && last_pid_ == pid) return last_process_;
  if (facts_.processes.size() >= max_processes && !facts_.processes.contains(pid)) {
    facts_.processes_cut = true;
    return nullptr;
  }
  last_pid_ = pid;
  last_process_ = &facts_.processes[pid];
  return last_process_;
}

void TraceCollector::events(std::span<const TraceEvent> batch) {
  for (const TraceEvent& event : batch) {
    switch (event.phase) {
      case 'X':
        complete(event);
        break;
      case 'M':
        ++facts_.metadata_events;
        if (event.name == "process_name" && event.pid) {
          if (auto* found = process(*event.pid)) found->name.assign(event.metadata.substr(0, 100));
        }
        break;
      case 'C':
        ++facts_.counter_events;
        break;
      case 's':
        ++facts_.flow_starts;
        break;
      case 'f':
        ++facts_.flow_ends;
        break;
      default:
        ++facts_.other_events;
    }
  }
}

void TraceCollector::complete(const TraceEvent& event) {
  ++facts_.complete_events;
  if (!event.start_ns || !event.duration_us) {
    ++facts_.untimed_events;
    return;
  }
  const std::string_view name = event.name;
  if (auto* found = event.pid ? process(*event.pid) : nullptr) {
    const std::int64_t end = *event.start_ns + std::llround(*event.duration_us * 1000);
    ++found->events;
    found->first_ns = std::min(found->first_ns.value_or(*event.start_ns), *event.start_ns);
    found->last_ns = std::max(found->last_ns.value_or(end), end);
    if (name == "Computing") found->computing_us += *event.duration_us;
    if (name == "Free") found->free_us += *event.duration_us;
    if (name.starts_with("hcom_")) ++found->communication_kernels;
  }
  if (name.starts_with("AscendCL@")) return host_call(event, name.substr(9));
  if (name.starts_with("Node@")) {
    ++facts_.cann_calls;
  } else if (name.starts_with("Runtime@")) {
    if (name.find("BinaryRegister") != std::string_view::npos) add(facts_.binary_load, event);
  } else if (name.starts_with("ProfilerStep#")) {
    const auto step = integer(name.substr(13));
    if (step && facts_.steps.size() < max_steps) {
      facts_.steps[*step] = {*event.start_ns, *event.duration_us};
    }
  } else if (event.category == "cpu_op") {
    ++facts_.operator_events;
  }
  if (name.ends_with("(dynamo_timed)")) add(facts_.dynamo, event);
}

void TraceCollector::host_call(const TraceEvent& event, std::string_view call) {
  ++facts_.cann_calls;
  if (call.ends_with("GetWorkspaceSize")) {
    if (CallRange* range = facts_.workspace_calls.find_or_add(call)) {
      const double duration = *event.duration_us;
      range->min_us = range->count == 0 ? duration : std::min(range->min_us, duration);
      range->max_us = std::max(range->max_us, duration);
      ++range->count;
    }
  } else if (call.starts_with("aclopCompileAndExecute")) {
    add(facts_.compile_and_execute, event);
  } else if (call == "opCompile" || call == "aclopCompile") {
    add(facts_.op_compile, event);
  } else if (call.starts_with("aclrtBinaryLoad")) {
    add(facts_.binary_load, event);
  } else if (call == "aclrtSetDevice") {
    add(facts_.set_device, event);
  } else if (call.starts_with("aclrtCreateStream")) {
    add(facts_.create_stream, event);
  }
}

}  // namespace npuprof::evidence
