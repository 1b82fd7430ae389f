#include "ascend/versions.hpp"

#include <stdexcept>

#include "ascend/table_text.hpp"
#include "core/host_text.hpp"
#include "core/json.hpp"

namespace npuprof::ascend {

std::string_view embedded(std::string_view name);

namespace {

struct PairFile {
  TableSource source;
  std::vector<Pair> pairs;
  std::vector<PythonRange> pythons;
};

const PairFile& pair_file() {
  static const PairFile file = [] {
    const auto json = Json::parse(embedded("pairs.json"));
    PairFile read;
    read.source = {json.at("source"), json.at("date")};
    for (const auto& row : json.at("torch_npu")) {
      read.pairs.push_back(
          {row.at("torch_npu"), row.at("release"), row.at("torch"), row.at("cann")});
    }
    for (const auto& row : json.at("python")) {
      read.pythons.push_back({row.at("torch"), row.at("from"), row.at("to")});
    }
    return read;
  }();
  return file;
}

bool same_version(std::string_view a, std::string_view b) {
  const auto order = compare_versions(a, b);
  return order && *order == std::strong_ordering::equal;
}

std::string unbracketed(std::string_view value) {
  value = trimmed(value);
  if (value.size() >= 2 && value.front() == '[' && value.back() == ']') {
    value = value.substr(1, value.size() - 2);
  }
  return clean_host_text(value, 400);
}

bool looks_like_version(std::string_view text) {
  return compare_versions(text, "0").has_value();
}

// The version that one file of a CANN installation tells of CANN itself.
std::string cann_version_in(std::string_view path, std::string_view text) {
  const auto values = parse_info_file(text);
  const auto value = [&](const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  };
  std::string version;
  if (path.ends_with("_install.info")) {
    version = value("version");
  } else if (path.ends_with("version.cfg")) {
    for (const auto* key : {"toolkit_running_version", "runtime_running_version",
                            "compiler_running_version", "opp_running_version"}) {
      // "7.6.0.1.220:8.0.0": the maker's number, then CANN's
      version = value(key);
      if (const auto colon = version.find(':'); colon != std::string::npos) {
        version.erase(0, colon + 1);
        break;
      }
      version.clear();
    }
  } else if (path.find("/share/info/") != std::string_view::npos) {
    version = value("Version");
  } else if (path.ends_with("version.info")) {
    version = value("version_dir");
  }
  return looks_like_version(version) ? version : "";
}

}  // namespace

const std::vector<Pair>& pair_table() {
  return pair_file().pairs;
}

const TableSource& pair_table_source() {
  return pair_file().source;
}

std::optional<Pair> find_pair(std::string_view torch_npu_version) {
  for (const auto& pair : pair_table()) {
    if (same_version(pair.torch_npu, torch_npu_version)) return pair;
  }
  return std::nullopt;
}

std::vector<std::string> torch_npu_for_cann(std::string_view cann_version) {
  std::vector<std::string> found;
  for (const auto& pair : pair_table()) {
    if (same_version(pair.cann, cann_version)) found.push_back(pair.torch_npu);
  }
  return found;
}

std::optional<PythonRange> python_for_torch(std::string_view torch_version) {
  for (const auto& range : pair_file().pythons) {
    if (range.torch == base_version(torch_version)) return range;
  }
  return std::nullopt;
}

std::map<std::string, std::string> parse_info_file(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const auto& line : lines_of(text)) {
    const auto equals = line.text.find('=');
    if (!line.clean || equals == std::string::npos || values.size() >= 500) continue;
    values.try_emplace(std::string(trimmed(line.text.substr(0, equals))),
                       unbracketed(std::string_view(line.text).substr(equals + 1)));
  }
  return values;
}

CannVersion cann_version(const std::vector<std::pair<std::string, std::string>>& files) {
  CannVersion found;
  for (const auto& [path, text] : files) {
    auto version = cann_version_in(path, text);
    if (version.empty()) continue;
    found.all.emplace_back(path, version);
    if (found.value.empty()) {
      found.value = version;
      found.source = path;
    }
  }
  return found;
}

std::string version_in(std::string_view info_file, const std::vector<const char*>& keys) {
  const auto values = parse_info_file(info_file);
  for (const auto* key : keys) {
    const auto found = values.find(key);
    if (found != values.end() && looks_like_version(found->second)) return found->second;
  }
  return {};
}

}  // namespace npuprof::ascend
