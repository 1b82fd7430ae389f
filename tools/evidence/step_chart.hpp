#pragma once

#include <string>
#include <vector>

namespace npuprof::evidence {

enum class StepPhase { warmup, guard, window };

struct ChartStep {
  std::string label;
  double ms = 0;
  StepPhase phase = StepPhase::window;
};

// Step times as bars, warm-up, guard steps and window told apart. One SVG element without
// references to anything outside it; `standalone` adds its own colours, else they come from the
// page it stands in (custom properties --ink, --faint, --warmup, --guard, --window).
// Empty where there is no step. More than 200 steps are cut to the first 200.
std::string step_chart_svg(const std::vector<ChartStep>& steps, bool standalone);

}  // namespace npuprof::evidence
