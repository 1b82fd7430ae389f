#include "evidence/layout.hpp"

#include <algorithm>
#include <vector>

namespace npuprof::evidence {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// PROF_<digits>_<digits>_<letters and digits>
bool is_raw_folder(std::string_view name) {
  if (!name.starts_with("PROF_")) return false;
  name.remove_prefix(5);
  for (int part = 0; part < 2; ++part) {
    const std::size_t end = name.find('_');
    if (end == 0 || end == std::string_view::npos) return false;
    if (!std::all_of(name.begin(), name.begin() + static_cast<long>(end), is_digit)) return false;
    name.remove_prefix(end + 1);
  }
  return !name.empty();
}

FileKind table_kind(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("kernel_details")) return FileKind::kernel_details;
  if (has("op_summary")) return FileKind::op_summary;
  if (has("step_trace_time")) return FileKind::step_trace;
  if (has("operator_details")) return FileKind::operator_details;
  if (has("api_statistic")) return FileKind::api_statistic;
  if (has("op_statistic")) return FileKind::op_statistic;
  return FileKind::other_table;
}

FileKind json_kind(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (name.starts_with("profiler_info")) return FileKind::profiler_info;
  if (name.starts_with("profiler_metadata")) return FileKind::profiler_metadata;
  if (has("communication_matrix")) return FileKind::communication_matrix;
  if (name.starts_with("communication")) return FileKind::communication;
  if (has("trace_view") || name.starts_with("msprof_") || has("chrome_trace")) {
    return FileKind::trace;
  }
  return FileKind::other;
}

FileKind kind_of(std::string_view name, bool in_logs) {
  if (name.ends_with(".csv")) return table_kind(name);
  if (name.ends_with(".json") || name.ends_with(".json.gz")) return json_kind(name);
  if (name.ends_with(".db")) return FileKind::database;
  if (name == "analyse.done") return FileKind::done_marker;
  if (in_logs && (name.ends_with(".log") || name.ends_with(".txt"))) return FileKind::log;
  return FileKind::other;
}

}  // namespace

bool is_profile_folder(std::string_view name) {
  return name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms");
}

std::string_view export_stamp(std::string_view name) {
  name = name.substr(0, name.rfind('.'));
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  return digits >= 12 ? name.substr(name.size() - digits) : std::string_view{};
}

Place place_of(std::string_view path, std::string_view root_name) {
  std::vector<std::string_view> parts;
  std::vector<std::size_t> ends;  // of each part, in `path`
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    ends.push_back(end);
    at = end + 1;
  }
  const std::string_view name = parts.back();
  Place place;
  bool in_logs = false;
  const auto root_is = [&](std::size_t part) {
    place.profile = std::string(path.substr(0, ends[part]));
  };

  // The root's own name counts as the folder before the first part.
  enum class Inside { nothing, profile, output, raw_alone } inside = Inside::nothing;
  const auto enter = [&](std::string_view folder, long part) {
    if (folder == "logs" || folder == "log" || folder == "mindstudio_profiler_log") in_logs = true;
    if (place.raw) return;
    if (inside == Inside::nothing && is_profile_folder(folder)) {
      inside = Inside::profile;
      place.layout = Layout::torch_npu;
      if (part >= 0) root_is(static_cast<std::size_t>(part));
    } else if (folder == "ASCEND_PROFILER_OUTPUT") {
      if (inside == Inside::nothing) {
        place.layout = Layout::torch_npu;
        if (part >= 1) root_is(static_cast<std::size_t>(part) - 1);
      }
      inside = Inside::output;
      place.in_output = true;
    } else if (is_raw_folder(folder)) {
      if (inside == Inside::profile) {
        place.raw = true;
      } else if (inside == Inside::nothing) {
        inside = Inside::raw_alone;
        place.layout = Layout::msprof;
        if (part >= 0) root_is(static_cast<std::size_t>(part));
      }
    } else if (folder == "mindstudio_profiler_output") {
      if (inside == Inside::nothing) {
        place.layout = Layout::msprof;
        if (part >= 1) root_is(static_cast<std::size_t>(part) - 1);
      }
      if (inside == Inside::nothing || inside == Inside::raw_alone) {
        inside = Inside::output;
        place.in_output = true;
      }
    }
  };
  enter(root_name, -1);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) enter(parts[i], static_cast<long>(i));
  place.kind = kind_of(name, in_logs);
  if (inside == Inside::nothing) {
    place.profile = parts.size() > 1 ? std::string(path.substr(0, ends[parts.size() - 2])) : "";
  }
  return place;
}

}  // namespace npuprof::evidence
