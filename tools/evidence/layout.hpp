#pragma once

#include <string>
#include <string_view>

namespace npuprof::evidence {

// What a file is for, by its name.
enum class FileKind {
  kernel_details,
  op_summary,
  step_trace,
  trace,
  communication,
  communication_matrix,
  operator_details,
  api_statistic,
  op_statistic,
  other_table,  // rows counted, nothing more
  profiler_info,
  profiler_metadata,
  database,
  log,
  done_marker,
  other
};

enum class Layout {
  torch_npu,  // *_ascend_pt, or an ASCEND_PROFILER_OUTPUT
  msprof,     // PROF_*, or a mindstudio_profiler_output
  loose       // files that stand in a folder without either
};

// Where a file of a tree belongs.
struct Place {
  std::string profile;  // the folder of the profile, relative; "" is the tree's root
  Layout layout = Layout::loose;
  bool raw = false;        // inside the raw data of a torch_npu profile: listed, not judged
  bool in_output = false;  // inside ASCEND_PROFILER_OUTPUT or mindstudio_profiler_output
  FileKind kind = FileKind::other;
};

// `path` is relative to the tree's root, with '/'; `root_name` is the name of the root itself,
// which may be that of a profile.
Place place_of(std::string_view path, std::string_view root_name);

// Tables that msprof wrote at different times are different exports of the same data: the digits
// that end the name, "" without them.
std::string_view export_stamp(std::string_view name);

// Rank directories are compared by what they say, and these by name only.
bool is_profile_folder(std::string_view name);

}  // namespace npuprof::evidence
