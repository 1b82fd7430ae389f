#pragma once

#include <cstddef>
#include <span>

namespace npuprof::evidence {

// How the first steps of a window compare with the settled ones.
struct StepLeak {
  bool comparable = false;  // enough steps
  double settled = 0;       // the median of the later half
  double range = 0;         // of the steps behind the leading long ones, over `settled`
  double first_ratio = 0;   // first step over settled
  std::size_t leading = 0;  // how many steps from the first on are longer than they should be
  bool by_chance = false;   // the others vary so much that the first may be long by chance
};

// `steps` are the lengths of a window's steps, in order, in any unit. The last step is not taken
// for settled where there are enough others: the profiler's end lengthens it.
StepLeak compare_steps(std::span<const double> steps);

}  // namespace npuprof::evidence
