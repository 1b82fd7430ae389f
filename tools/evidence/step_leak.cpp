#include "evidence/step_leak.hpp"

#include <algorithm>
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

// The difference between the longest and the shortest; of ten or more, a tenth at either end is
// left out.
double range_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() < 10 ? 0 : values.size() / 10;
  return values[values.size() - 1 - cut] - values[cut];
}

}  // namespace

StepLeak compare_steps(std::span<const double> steps) {
  StepLeak leak;
  if (steps.size() < static_cast<std::size_t>(thresholds.min_steps_to_compare)) return leak;
  std::size_t begin = steps.size() / 2;
  const std::size_t end = steps.size() - (steps.size() - begin >= 3 ? 1 : 0);
  begin = std::min(begin, end - 2);
  const auto part = [&](std::size_t from) {
    return std::vector<double>(steps.begin() + static_cast<long>(from),
                               steps.begin() + static_cast<long>(end));
  };
  leak.settled = median(part(begin));
  if (!(leak.settled > 0)) return leak;
  leak.comparable = true;
  leak.first_ratio = steps.front() / leak.settled;
  const double limit = leak.settled * thresholds.leak_ratio;
  while (leak.leading < steps.size() - 2 && steps[leak.leading] > limit) ++leak.leading;
  leak.range = range_of(part(std::max<std::size_t>(leak.leading, 1))) / leak.settled;
  leak.by_chance = leak.leading > 0 && leak.first_ratio < 1 + thresholds.leak_margin +
                                                              thresholds.leak_ranges * leak.range;
  return leak;
}

}  // namespace npuprof::evidence
