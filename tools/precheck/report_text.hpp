#pragma once

#include <string>

#include "precheck/precheck.hpp"

namespace npuprof::precheck {

// The report for a reader, at most 40 lines.
std::string report_text(const PrecheckReport& report);

}  // namespace npuprof::precheck
