#include "runner/runner.hpp"

#include <array>

namespace npuprof::runner {

std::string_view embedded(std::string_view name);

std::span<const SourceFile> files() {
  static constexpr std::array names{
      std::string_view("supervisor.py"),      std::string_view("npuprof_supervision.py"),
      std::string_view("npuprof_records.py"), std::string_view("npuprof_processes.py"),
      std::string_view("npuprof_leases.py"),  std::string_view("npuprof_log.py"),
      std::string_view("npuprof_follow.py"),  std::string_view("npuprof_found.py"),
      std::string_view("runner.py"),          std::string_view("npuprof_report.py"),
      std::string_view("npuprof_entry.py"),   std::string_view("npuprof_script.py"),
      std::string_view("npuprof_window.py"),  std::string_view("npuprof_recorders.py"),
      std::string_view("npuprof_outputs.py"), std::string_view("npuprof_devices.py")};
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
