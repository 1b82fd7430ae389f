#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuprof::ascend {

// Orders version texts as their makers mean them: 8.0.RC3 < 8.0.0 < 8.1.RC1, 2.1.0rc1 < 2.1.0 <
// 2.1.0.post4, 25.0.rc1.1 < 25.2.0; a local part ("+cpu") doesn't count. A text without a leading
// number is no version.
std::optional<std::strong_ordering> compare_versions(std::string_view a, std::string_view b);

// True where `version` lies in a range such as ">=7.0.0 <26.1.0", "==9.0.0" or "*". An unreadable
// version or range lies in none but "*".
bool in_range(std::string_view version, std::string_view range);

// One version of the software that a host runs, and where it was read.
struct FoundVersion {
  std::string value;   // empty: not found
  std::string source;  // a path, a command, or "python metadata"
};

struct Versions {
  FoundVersion driver, firmware, cann, python, torch, torch_npu;
  FoundVersion torch_npu_release;  // "7.3.0": what the pair table says of torch_npu's version
};

// A row of the pair table (pairs.json).
struct Pair {
  std::string torch_npu;
  std::string release;
  std::string torch;
  std::string cann;
};

// Where the rows come from, and when they were read.
struct TableSource {
  std::string source, date;
};

// The Python versions that a torch version takes, both ends included.
struct PythonRange {
  std::string torch, from, to;
};
std::optional<PythonRange> python_for_torch(std::string_view torch_version);

const std::vector<Pair>& pair_table();
const TableSource& pair_table_source();

// The row of a torch_npu version; nothing for development builds and versions newer than the table.
std::optional<Pair> find_pair(std::string_view torch_npu_version);

// The torch_npu versions that go with a CANN version, for a remedy.
std::vector<std::string> torch_npu_for_cann(std::string_view cann_version);

// X.Y.Z of "2.5.1.post1+cpu"
std::string base_version(std::string_view version);

// True for dev, alpha, beta and rc builds.
bool is_prerelease(std::string_view version);

// "key=value" lines (version.info, install.info, version.cfg), values without [ ]. Later lines of
// the same key don't replace earlier ones; keys keep their case.
std::map<std::string, std::string> parse_info_file(std::string_view text);

// CANN's version out of the files of one installation; empty where none tells it. Disagreeing files
// are all in `all`.
struct CannVersion {
  std::string value, source;
  std::vector<std::pair<std::string, std::string>> all;  // path, version
};
CannVersion cann_version(const std::vector<std::pair<std::string, std::string>>& files);

// The first of `keys` in a version.info whose value is a version; "" where none is. The driver's is
// package_version, else Version; the firmware's is Version.
std::string version_in(std::string_view info_file, const std::vector<const char*>& keys);

}  // namespace npuprof::ascend
