#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <stop_token>

#include "cli/exit_code.hpp"

namespace npuprof::cli {

struct InspectOptions {
  std::filesystem::path path;  // a profiler output folder, or a .tar.gz of one
  bool as_json = false;
  std::optional<std::filesystem::path> html;  // where the report is to be written
};

// Checks and anomalies of CANN output on this machine. success where the trust is trusted or
// usable_with_care.
ExitCode inspect_command(const InspectOptions& options, std::ostream& out, std::ostream& err,
                         const std::stop_token& stop);

}  // namespace npuprof::cli
