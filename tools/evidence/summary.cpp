#include "evidence/summary.hpp"

#include <algorithm>
#include <cmath>

#include "core/host_text.hpp"
#include "evidence/warmup.hpp"

namespace npuprof::evidence {
namespace {

// Between the two nearest values, as numpy and pandas do.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

double rounded(double value, double digits = 1000) {
  return std::round(value * digits) / digits;
}

Json step_summary(const std::vector<Question>& questions) {
  std::vector<double> all;
  std::string source;
  for (const Question& question : questions) {
    const WindowSteps window = window_steps(question);
    if (window.ms.empty()) continue;
    all.insert(all.end(), window.ms.begin(), window.ms.end());
    source = window.source;
    if (!question.expected.step_ms.empty()) break;  // the runner's own times are the same for all
  }
  if (all.empty()) return nullptr;
  std::sort(all.begin(), all.end());
  return {{"median", rounded(quantile(all, 0.5))},
          {"p90", rounded(quantile(all, 0.9))},
          {"steps", all.size()},
          {"source", source}};
}

Json device_summary(const std::vector<Question>& questions) {
  double busy = 0;
  double free = 0;
  bool any = false;
  for (const Question& question : questions) {
    if (!question.profile.steps) continue;
    const auto ids = question.window_ids();
    for (const StepTimes& step : question.profile.steps->steps) {
      if (step.step && !std::binary_search(ids.begin(), ids.end(), *step.step)) continue;
      any = true;
      busy += step.computing + step.communication_not_overlapped;
      free += step.free;
    }
  }
  if (!any) return nullptr;
  return {{"busy_us", rounded(busy)},
          {"free_us", rounded(free)},
          {"busy_share", busy + free > 0 ? Json(rounded(busy / (busy + free), 1e4)) : Json()}};
}

using Types = std::map<std::string, KernelSums>;

void add_types(const BoundedMap<KernelSums>& from, Types& into_all) {
  for (const auto& [name, sums] : from.values()) {
    KernelSums& into = into_all[name];
    into.rows += sums.rows;
    into.duration_us += sums.duration_us;
    into.wait_us += sums.wait_us;
    into.max_us = std::max(into.max_us, sums.max_us);
  }
}

Json top_ten(const Types& types, double KernelSums::*by, double all_us) {
  std::vector<std::pair<std::string, KernelSums>> order(types.begin(), types.end());
  std::stable_sort(order.begin(), order.end(),
                   [by](const auto& a, const auto& b) { return a.second.*by > b.second.*by; });
  Json top = Json::array();
  for (const auto& [name, sums] : order) {
    if (top.size() == 10) break;
    top.push_back({{"name", clean_host_text(name, 120)},
                   {"count", sums.rows},
                   {"total_us", rounded(sums.duration_us)},
                   {"mean_us", rounded(sums.duration_us / static_cast<double>(sums.rows))},
                   {"max_us", rounded(sums.max_us)},
                   {"wait_us", rounded(sums.wait_us)},
                   {"share", all_us > 0 ? rounded(sums.duration_us / all_us, 1e4) : 0.0}});
  }
  return top;
}

double kernel_us_of(const KernelFacts& kernels) {
  return kernels.compute.duration_us + kernels.communication.duration_us;
}

Json step_details(const Question& question) {
  const Profile& profile = question.profile;
  const auto window = question.window_ids();
  Json steps = Json::array();
  for (const std::int64_t id : question.step_ids) {
    if (steps.size() == 200) break;
    Json step = {{"id", id}, {"guard", !std::binary_search(window.begin(), window.end(), id)}};
    if (profile.steps) {
      for (const StepTimes& times : profile.steps->steps) {
        if (times.step != id || step.contains("busy_us")) continue;
        step["busy_us"] = rounded(times.computing + times.communication_not_overlapped);
        step["free_us"] = rounded(times.free);
        step["communication_us"] = rounded(times.communication);
        step["ms"] = rounded(times.length() / 1000);
      }
    }
    if (profile.trace) {
      const auto found = profile.trace->steps.find(id);
      if (found != profile.trace->steps.end()) {
        step["ms"] = rounded(found->second.duration_us / 1000);
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Json summarise(const std::vector<Question>& questions) {
  Types types;
  double kernel_us = 0;
  double communication_us = 0;
  double ai_cpu_us = 0;
  for (const Question& question : questions) {
    if (!question.profile.kernels) continue;
    const KernelFacts& kernels = *question.profile.kernels;
    kernel_us += kernel_us_of(kernels);
    communication_us += kernels.communication.duration_us;
    ai_cpu_us += kernels.ai_cpu.duration_us;
    add_types(kernels.types, types);
  }
  const bool any = kernel_us > 0;
  return {{"step_ms", step_summary(questions)},
          {"device", device_summary(questions)},
          {"top_operators", top_ten(types, &KernelSums::duration_us, kernel_us)},
          {"communication_share", any ? Json(rounded(communication_us / kernel_us, 1e4)) : Json()},
          {"ai_cpu_share", any ? Json(rounded(ai_cpu_us / kernel_us, 1e4)) : Json()}};
}

Json detail(const std::vector<Question>& questions) {
  Types types;
  Types ai_cpu;
  double kernel_us = 0;
  Json steps = Json::array();
  for (const Question& question : questions) {
    if (steps.empty()) steps = step_details(question);
    if (!question.profile.kernels) continue;
    kernel_us += kernel_us_of(*question.profile.kernels);
    add_types(question.profile.kernels->types, types);
    add_types(question.profile.kernels->ai_cpu_types, ai_cpu);
  }
  return {{"steps", std::move(steps)},
          {"top_by_wait", top_ten(types, &KernelSums::wait_us, kernel_us)},
          {"ai_cpu_operators", top_ten(ai_cpu, &KernelSums::duration_us, kernel_us)}};
}

}  // namespace npuprof::evidence
