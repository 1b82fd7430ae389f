#pragma once

#include <cstddef>
#include <span>

namespace npuprof::evidence {

// How the first steps of a window compare with the settled ones.
struct StepLeak {
  bool comparable = false;       // enough steps
  double settled = 0;            // the median of the later half
  double spread = 0;             // one robust standard deviation round it
  double first_ratio = 0;        // first step over settled
  std::size_t leading = 0;       // how many steps from the first on are longer than they should be
  bool odd_later_steps = false;  // a later step is as long: the first may be odd by chance
};

// `steps` are the lengths of a window's steps, in order, in any unit. The last step is not taken
// for settled where there are enough others: the profiler's end lengthens it.
StepLeak compare_steps(std::span<const double> steps);

}  // namespace npuprof::evidence
