#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"
#include "evidence/step_chart.hpp"

namespace npuprof::evidence {

// report.html: one file that needs nothing from elsewhere, for a screen of any width and for print,
// light and dark. `document` is a run's record or what `npuprof inspect --json` writes; `details`
// is Assessment::details, or null. What is absent in either is left out of the page.
std::string render_report(const Json& document, const Json& details);

// The steps of a document for step_chart_svg: the runner's own times where the record has them,
// else those of the data.
std::vector<ChartStep> chart_steps(const Json& document, const Json& details);

}  // namespace npuprof::evidence
