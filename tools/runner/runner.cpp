#include "runner/runner.hpp"

#include <array>

namespace npuprof::runner {

std::string_view embedded(std::string_view name);

std::span<const SourceFile> files() {
  static constexpr std::array<std::string_view, 22> names{
      "supervisor.py",      "npuprof_supervision.py", "npuprof_records.py", "npuprof_processes.py",
      "npuprof_leases.py",  "npuprof_log.py",         "npuprof_follow.py",  "npuprof_found.py",
      "runner.py",          "npuprof_report.py",      "npuprof_entry.py",   "npuprof_script.py",
      "npuprof_program.py", "npuprof_service.py",     "npuprof_launch.py",  "npuprof_ranks.py",
      "npuprof_hook.py",    "npuprof_session.py",     "npuprof_window.py",  "npuprof_recorders.py",
      "npuprof_outputs.py", "npuprof_devices.py"};
  static const auto all = [] {
    std::array<SourceFile, names.size()> result;
    for (std::size_t i = 0; i < names.size(); ++i) result[i] = {names[i], embedded(names[i])};
    return result;
  }();
  return all;
}

std::string_view supervisor_source() {
  return embedded(supervisor_file);
}
std::string_view runner_source() {
  return embedded(runner_file);
}

}  // namespace npuprof::runner
