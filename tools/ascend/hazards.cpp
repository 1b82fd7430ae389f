#include "ascend/hazards.hpp"

#include <map>
#include <stdexcept>

namespace npuprof::ascend {

std::string_view embedded(std::string_view name);

namespace {

struct Row {
  Hazard hazard;
  std::map<std::string, std::string> when;  // component -> range
};

Severity severity_named(const std::string& name) {
  if (name == "info") return Severity::info;
  if (name == "warning") return Severity::warning;
  if (name == "error") return Severity::error;
  throw std::logic_error("hazards.json: severity " + name);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> list = [] {
    std::vector<Row> read;
    const auto json = Json::parse(embedded("hazards.json"));
    for (const auto& row : json.at("hazards")) {
      Hazard hazard;
      hazard.id = row.at("id");
      hazard.title = row.at("title");
      hazard.workaround = row.at("workaround");
      hazard.settings = row.value("settings", Json::object());
      hazard.applies_to = row.at("applies_to").get<std::vector<std::string>>();
      hazard.handled = row.at("handled");
      hazard.severity = severity_named(row.at("severity"));
      hazard.source = row.at("source");
      read.push_back({std::move(hazard), row.at("when").get<std::map<std::string, std::string>>()});
    }
    return read;
  }();
  return list;
}

std::string version_of(const Versions& versions, const std::string& component) {
  if (component == "driver") return versions.driver.value;
  if (component == "cann") return versions.cann.value;
  if (component == "torch_npu") return versions.torch_npu.value;
  if (component == "release") return versions.torch_npu_release.value;
  if (component == "python") return versions.python.value;
  throw std::logic_error("hazards.json: component " + component);
}

}  // namespace

std::vector<FoundHazard> hazards_for(const Versions& versions) {
  std::vector<FoundHazard> found;
  for (const auto& row : rows()) {
    FoundHazard one{row.hazard, true};
    bool applies = true;
    for (const auto& [component, range] : row.when) {
      const auto version = version_of(versions, component);
      if (!compare_versions(version, "0")) {
        one.certain = false;
      } else if (!in_range(version, range)) {
        applies = false;
      }
    }
    if (applies) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace npuprof::ascend
