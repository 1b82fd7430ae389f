#include <algorithm>

#include "core/host_text.hpp"
#include "evidence/thresholds.hpp"
#include "evidence/warmup.hpp"

namespace npuprof::evidence {
namespace {

// Calls of one purpose, from the trace where it shows them, else from api_statistic.csv.
struct Calls {
  std::uint64_t count = 0;
  double total_us = 0;
  double max_us = 0;
  std::string longest;
};

Calls from_api(const Profile& profile, auto&& wanted) {
  Calls calls;
  if (!profile.api) return calls;
  for (const auto& [name, times] : profile.api->calls.values()) {
    if (!wanted(std::string_view(name))) continue;
    calls.count += times.count;
    calls.total_us += times.total_us;
    if (times.max_us <= calls.max_us) continue;
    calls.max_us = times.max_us;
    calls.longest = name;
  }
  return calls;
}

Calls calls_of(const Profile& profile, CallTimes TraceFacts::*in_trace, auto&& wanted) {
  if (profile.trace) {
    const CallTimes& times = (*profile.trace).*in_trace;
    if (times.count > 0) return {times.count, times.total_us, times.max_us, times.longest};
  }
  return from_api(profile, wanted);
}

Json figures_of(const Calls& calls, double limit_us) {
  return {{"calls", calls.count},
          {"total_us", calls.total_us},
          {"longest_us", calls.max_us},
          {"longest", clean_host_text(calls.longest, 200)},
          {"limit_us", limit_us}};
}

void add_compiles(const Profile& profile, EvidenceList& out) {
  const Calls compile = calls_of(profile, &TraceFacts::op_compile, [](std::string_view name) {
    return name == "opCompile" || name == "aclopCompile";
  });
  const Calls execute =
      calls_of(profile, &TraceFacts::compile_and_execute,
               [](std::string_view name) { return name.starts_with("aclopCompileAndExecute"); });
  const bool long_compile = compile.max_us > thresholds.op_compile_us;
  const bool long_execute = execute.max_us > thresholds.compile_and_execute_us;
  if (long_compile || long_execute) {
    const Calls& worst = long_compile ? compile : execute;
    out.push_back({"compile_calls", WarmupVerdict::not_stripped, 3,
                   "operators were compiled inside the window",
                   figures_of(worst, long_compile ? thresholds.op_compile_us
                                                  : thresholds.compile_and_execute_us)});
  } else if (compile.count + execute.count > 0) {
    const Calls& shown = execute.count > 0 ? execute : compile;
    out.push_back({"compile_calls", WarmupVerdict::stripped, 1,
                   "compile calls are all short: what they ask for had been compiled before",
                   figures_of(shown, execute.count > 0 ? thresholds.compile_and_execute_us
                                                       : thresholds.op_compile_us)});
  }
}

struct FirstCall {
  std::string name;
  CallRange range;
};

void add_first_calls(const Profile& profile, EvidenceList& out) {
  std::uint64_t count = 0;
  FirstCall longest;
  const auto look = [&](const std::string& name, const CallRange& range) {
    count += range.count;
    if (range.max_us > longest.range.max_us) longest = {name, range};
  };
  if (profile.trace) {
    for (const auto& [name, range] : profile.trace->workspace_calls.values()) look(name, range);
  }
  if (count == 0 && profile.api) {
    for (const auto& [name, times] : profile.api->calls.values()) {
      if (name.ends_with("GetWorkspaceSize")) {
        look(name, {times.count, times.min_us, times.max_us});
      }
    }
  }
  if (count == 0) return;
  const Json figures = {{"calls", count},
                        {"longest", clean_host_text(longest.name, 200)},
                        {"longest_us", longest.range.max_us},
                        {"shortest_of_it_us", longest.range.min_us},
                        {"limit_us", thresholds.workspace_first_call_us}};
  const bool first_stands_out =
      longest.range.count < 2 ||
      longest.range.max_us > longest.range.min_us * thresholds.workspace_ratio;
  if (longest.range.max_us > thresholds.workspace_first_call_us && first_stands_out) {
    out.push_back({"first_calls", WarmupVerdict::not_stripped,
                   longest.range.max_us > 2 * thresholds.workspace_first_call_us ? 3 : 2,
                   "an operator was called for the first time inside the window", figures});
  } else if (longest.range.max_us < thresholds.workspace_warm_us) {
    out.push_back({"first_calls", WarmupVerdict::stripped, 1,
                   "no operator's preparation took long: all had been called before", figures});
  } else {
    out.push_back({"first_calls", WarmupVerdict::unknown, 0,
                   "an operator's preparation took longer than usual", figures});
  }
}

void add_set_up(const Profile& profile, EvidenceList& out) {
  const Calls loads = calls_of(profile, &TraceFacts::binary_load, [](std::string_view name) {
    return name.starts_with("aclrtBinaryLoad") ||
           name.find("BinaryRegister") != std::string_view::npos;
  });
  const Calls device = calls_of(profile, &TraceFacts::set_device,
                                [](std::string_view name) { return name == "aclrtSetDevice"; });
  const Calls streams = calls_of(profile, &TraceFacts::create_stream, [](std::string_view name) {
    return name.starts_with("aclrtCreateStream");
  });
  if (loads.total_us > thresholds.binary_load_us) {
    out.push_back({"binary_loads", WarmupVerdict::not_stripped, 2,
                   "kernel binaries were loaded inside the window",
                   figures_of(loads, thresholds.binary_load_us)});
  }
  // A process may set its device or make a stream at any time; both together are its beginning.
  if (device.count > 0 && streams.count > 0) {
    out.push_back({"set_up",
                   WarmupVerdict::not_stripped,
                   1,
                   "the device was set and streams were made inside the window",
                   {{"set_device_calls", device.count}, {"create_stream_calls", streams.count}}});
  }
}

void add_dynamo(const Profile& profile, EvidenceList& out) {
  if (!profile.trace || profile.trace->dynamo.count == 0) return;
  const CallTimes& times = profile.trace->dynamo;
  const Calls calls{times.count, times.total_us, times.max_us, times.longest};
  const bool compiled = times.total_us > thresholds.dynamo_us;
  out.push_back({"dynamo", compiled ? WarmupVerdict::not_stripped : WarmupVerdict::unknown,
                 compiled ? 3 : 0,
                 compiled ? "torch.compile compiled inside the window"
                          : "torch.compile did a little work inside the window",
                 figures_of(calls, thresholds.dynamo_us)});
}

}  // namespace

void add_compile_evidence(const Question& question, EvidenceList& out) {
  add_compiles(question.profile, out);
  add_first_calls(question.profile, out);
  add_set_up(question.profile, out);
  add_dynamo(question.profile, out);
}

// A just-in-time compiler of kernels (Triton, TileLang) leaves no event, only a long wait of the
// device before the first kernel of a name, and none before its later ones.
void add_gap_evidence(const Question& question, EvidenceList& out) {
  if (!question.profile.kernels) return;
  const KernelFacts& kernels = *question.profile.kernels;
  std::vector<std::pair<double, std::string>> gaps;
  double total = 0;
  for (const auto& [name, waits] : kernels.waits.values()) {
    if (waits.count < 2 || waits.first_wait_us < thresholds.jit_gap_us) continue;
    if (waits.first_wait_us < waits.longest_later_wait_us * thresholds.jit_gap_ratio) continue;
    const auto gap_begin =
        waits.first_start_ns - static_cast<std::int64_t>(waits.first_wait_us * 1000);
    double covered_ns = 0;
    for (const auto& [start, end] : kernels.communication_spans) {
      const auto from = std::max(start, gap_begin);
      const auto to = std::min(end, waits.first_start_ns);
      if (to > from) covered_ns += static_cast<double>(to - from);
    }
    if (covered_ns > waits.first_wait_us * 1000 * thresholds.gap_covered_by_communication) continue;
    gaps.emplace_back(waits.first_wait_us, name);
    total += waits.first_wait_us;
  }
  if (gaps.empty()) return;
  std::sort(gaps.rbegin(), gaps.rend());
  Json list = Json::array();
  for (const auto& [gap, name] : gaps) {
    if (list.size() < 10)
      list.push_back({{"kernel", clean_host_text(name, 200)}, {"wait_us", gap}});
  }
  out.push_back(
      {"first_kernel_gaps",
       WarmupVerdict::not_stripped,
       3,
       "the device waited long before the first kernel of a name and not before later ones: "
       "it was compiled on the host",
       {{"gaps", list}, {"total_us", total}, {"limit_us", thresholds.jit_gap_us}}});
}

}  // namespace npuprof::evidence
