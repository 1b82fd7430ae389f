#include "precheck/found_versions.hpp"

namespace npuprof::precheck {
namespace {

using ascend::FoundVersion;

FoundVersion in_file(const ascend::HostFacts& facts, std::string_view ending,
                     const std::vector<const char*>& keys) {
  for (const auto& [path, text] : facts.files) {
    if (!path.ends_with(ending)) continue;
    if (auto version = ascend::version_in(text, keys); !version.empty()) return {version, path};
  }
  return {};
}

FoundVersion package(const ascend::PythonFacts& python, const std::string& name,
                     const std::string& imported) {
  if (const auto found = python.packages.find(name); found != python.packages.end()) {
    return {found->second, "python metadata"};
  }
  if (!imported.empty()) return {imported, "import"};
  return {};
}

}  // namespace

FoundCann find_cann(const ascend::HostFacts& facts) {
  FoundCann found;
  for (const auto& candidate : facts.cann) {
    if (candidate.real_path.empty()) continue;
    if (found.path.empty()) found.path = candidate.real_path;
    // The files of a place are told once, with the first name that leads to it.
    if (candidate.real_path != found.path || candidate.files.empty()) continue;
    found.version = ascend::cann_version(candidate.files);
    break;
  }
  return found;
}

ascend::Versions find_versions(const ascend::HostFacts& facts, const ascend::InfoTable& table,
                               const FoundCann& cann) {
  ascend::Versions versions;
  versions.driver = in_file(facts, "/driver/version.info", {"package_version", "Version"});
  if (versions.driver.value.empty() && !table.driver_version.empty()) {
    versions.driver = {table.driver_version, "npu-smi info"};
  }
  versions.firmware = in_file(facts, "/firmware/version.info", {"Version", "package_version"});
  versions.cann = {cann.version.value, cann.version.source};
  if (!facts.python.version.empty()) versions.python = {facts.python.version, facts.python.path};
  versions.torch = package(facts.python, "torch", facts.python.torch);
  versions.torch_npu = package(facts.python, "torch_npu", facts.python.torch_npu);
  if (const auto pair = ascend::find_pair(versions.torch_npu.value)) {
    versions.torch_npu_release = {pair->release,
                                  "table of pairs, " + ascend::pair_table_source().date};
  }
  return versions;
}

}  // namespace npuprof::precheck
