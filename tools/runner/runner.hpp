#pragma once

#include <span>
#include <string_view>

namespace npuprof::runner {

struct SourceFile {
  std::string_view name;  // a plain file name
  std::string_view text;
};

// Every Python file that a run needs on the host, to be written side by side into the run's
// directory next to job.json. Views into static storage.
std::span<const SourceFile> files();

// The two programs among them. Started as
//   python3 <run_dir>/supervisor.py start  <run_dir>    one JSON line on stdout, then detached
//   python3 <run_dir>/supervisor.py cancel <run_dir>    the last status as one JSON line
//   python3 <any>/supervisor.py     follow <runs_dir>   JSON lines both ways, until end of input
// (npuprof never starts runner.py itself: the supervisor does).
inline constexpr std::string_view supervisor_file = "supervisor.py";
inline constexpr std::string_view runner_file = "runner.py";

std::string_view supervisor_source();
std::string_view runner_source();

}  // namespace npuprof::runner
