#include "evidence/step_leak.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "evidence/thresholds.hpp"

namespace npuprof::evidence {
namespace {

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<long>(middle))) /
         2;
}

}  // namespace

StepLeak compare_steps(std::span<const double> steps) {
  StepLeak leak;
  if (steps.size() < static_cast<std::size_t>(thresholds.min_steps_to_compare)) return leak;
  // The later half, of at least two steps.
  const std::size_t later = std::max<std::size_t>(2, (steps.size() + 1) / 2);
  const std::vector<double> settled(steps.end() - static_cast<long>(later), steps.end());
  leak.settled = median(settled);
  if (!(leak.settled > 0)) return leak;
  std::vector<double> deviations;
  for (const double step : settled) deviations.push_back(std::abs(step - leak.settled));
  leak.spread = std::max(1.4826 * median(deviations), thresholds.sigma_floor * leak.settled);
  leak.comparable = true;
  leak.first_ratio = steps.front() / leak.settled;
  const double limit = std::max(leak.settled * thresholds.leak_ratio,
                                leak.settled + thresholds.leak_sigmas * leak.spread);
  while (leak.leading < steps.size() - 2 && steps[leak.leading] > limit) ++leak.leading;
  if (leak.leading == 0) return leak;
  const std::size_t behind = leak.leading;
  const double longest_later =
      *std::max_element(steps.begin() + static_cast<long>(behind), steps.end() - 1);
  leak.odd_later_steps = steps.front() < longest_later * thresholds.odd_step_margin;
  return leak;
}

}  // namespace npuprof::evidence
