#include <algorithm>

#include "ascend/table_text.hpp"
#include "precheck/checks.hpp"

namespace npuprof::precheck {
namespace {

constexpr char driver_file[] = "/driver/version.info";

using Values = std::map<std::string, std::string>;

Values values_of_file(const ascend::HostFacts& facts, std::string_view ending) {
  for (const auto& [path, text] : facts.files) {
    if (path.ends_with(ending)) return ascend::parse_info_file(text);
  }
  return {};
}

std::string value(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

bool in_container(const Findings& f) {
  return !f.facts.container.empty() || !f.target.container.empty();
}

Check driver(const Findings& f) {
  const auto& version = f.versions.driver;
  const auto& shown = f.table.driver_version;
  const auto status =
      value(values_of_file(f.facts, "/etc/ascend_install.info"), "Driver_Install_Status");
  if (!status.empty() && status != "complete") {
    return warned("driver", "the driver's installation is marked \"" + status + "\"", nullptr,
                  "Reinstall the driver package (--full) and reboot.", Who::administrator);
  }
  if (version.value.empty()) {
    return unknown("driver", "the driver's version is not told anywhere", nullptr,
                   in_container(f)
                       ? "Mount /usr/local/Ascend/driver/version.info into the container."
                       : "Check the driver's installation.",
                   Who::administrator);
  }
  if (!shown.empty() &&
      ascend::compare_versions(shown, version.value) != std::strong_ordering::equal &&
      ascend::compare_versions(shown, version.value)) {
    return warned("driver",
                  "version.info says driver " + version.value + ", the running one is " + shown,
                  {{"version_info", version.source}},
                  "After an upgrade: reboot. In a container: mount the host's own version.info.",
                  Who::administrator);
  }
  return passed("driver", version.value, {{"source", version.source}});
}

Check firmware(const Findings& f) {
  const auto range = value(values_of_file(f.facts, driver_file), "compatible_version_fw");
  const auto& version = f.versions.firmware;
  if (version.value.empty()) {
    return unknown("firmware", "the firmware's version is not told here", nullptr,
                   in_container(f) ? "Containers seldom have it; look on the host." : "",
                   Who::administrator);
  }
  const auto comma = range.find(',');
  if (comma == std::string::npos) {
    return passed("firmware", version.value + " (the driver names no range)",
                  {{"source", version.source}});
  }
  const auto least = std::string(ascend::trimmed(range.substr(0, comma)));
  const auto most = std::string(ascend::trimmed(range.substr(comma + 1)));
  const auto low = ascend::compare_versions(version.value, least);
  const auto high = ascend::compare_versions(version.value, most);
  if (!low || !high) {
    return unknown("firmware",
                   "firmware " + version.value + " can't be compared with [" + range + "]");
  }
  if (*low < 0 || *high > 0) {
    return warned("firmware",
                  "firmware " + version.value + " is outside of what the driver takes: " + least +
                      " to " + most,
                  {{"source", version.source}}, "Upgrade driver and firmware together.",
                  Who::administrator);
  }
  return passed("firmware", version.value, {{"source", version.source}});
}

// "V100R001C21SPC002B220" -> "V100R001C21"
std::string inner_release(std::string_view text) {
  const auto at = text.find("SPC");
  return std::string(text.substr(0, std::min(at, text.size())));
}

Check driver_cann(const Findings& f) {
  const auto of_driver = values_of_file(f.facts, driver_file);
  Values of_cann;
  for (const auto& candidate : f.facts.cann) {
    for (const auto& [path, text] : candidate.files) {
      if (of_cann.empty() && path.ends_with("_install.info") &&
          candidate.real_path == f.cann_path) {
        of_cann = ascend::parse_info_file(text);
      }
    }
  }
  const auto driver_inner = inner_release(value(of_driver, "Innerversion"));
  const auto cann_inner = inner_release(value(of_cann, "innerversion"));
  const auto driver_takes = value(of_driver, "compatible_version");
  const auto cann_takes = value(of_cann, "compatible_version");
  const Json evidence = {{"driver", driver_inner},
                         {"driver_compatible_version", driver_takes.substr(0, 200)},
                         {"cann", cann_inner},
                         {"cann_compatible_version", cann_takes.substr(0, 200)}};
  const bool driver_side = !cann_inner.empty() && !driver_takes.empty();
  const bool cann_side = !driver_inner.empty() && !cann_takes.empty();
  if (!driver_side && !cann_side && (driver_inner.empty() || driver_inner != cann_inner)) {
    return unknown("driver_cann", "whether driver and CANN go together is not told by their files",
                   evidence, "An EE1015 at run time would mean that the driver is too old.",
                   Who::administrator);
  }
  if ((!driver_inner.empty() && driver_inner == cann_inner) ||
      (driver_side && driver_takes.find(cann_inner) != std::string::npos) ||
      (cann_side && cann_takes.find(driver_inner) != std::string::npos)) {
    return passed("driver_cann", "driver and CANN name each other as compatible", evidence);
  }
  return warned("driver_cann", "neither driver nor CANN names the other as compatible", evidence,
                "Upgrade the older of the two (an old driver shows as EE1015).",
                Who::administrator);
}

Check cann(const Findings& f) {
  Json dead = Json::array();
  Json places = Json::array();
  for (const auto& candidate : f.facts.cann) {
    if (candidate.real_path.empty()) {
      dead.push_back(evidence_text(candidate.path, 200));
    } else if (places.size() < 8 &&
               std::find(places.begin(), places.end(), evidence_text(candidate.real_path, 200)) ==
                   places.end()) {
      places.push_back(evidence_text(candidate.real_path, 200));
    }
  }
  Json evidence = {{"places", places}};
  if (!dead.empty()) evidence["dead_links"] = dead;
  if (places.empty()) {
    return failed("cann",
                  dead.empty() ? "CANN is not found in any place where it is usually installed"
                               : "CANN is not found: what names it leads nowhere",
                  evidence, "Install CANN, or name its set_env.sh in set_env of the target.");
  }
  if (f.cann.value.empty()) {
    return unknown("cann", "CANN is there, but no file of it tells its version", evidence,
                   "See " + f.cann_path + "/*-linux/ascend_toolkit_install.info.");
  }
  evidence["source"] = f.cann.source;
  Json others = Json::array();
  for (const auto& [path, version] : f.cann.all) {
    if (ascend::compare_versions(version, f.cann.value) != std::strong_ordering::equal &&
        others.size() < 6) {
      others.push_back({{"file", evidence_text(path, 200)}, {"version", version}});
    }
  }
  if (!others.empty()) {
    evidence["others"] = others;
    return warned("cann", "CANN " + f.cann.value + ", but its own files disagree on the version",
                  evidence,
                  "Parts of several releases are mixed: reinstall CANN if something fails.",
                  Who::administrator);
  }
  const auto home = f.facts.env.find("ASCEND_HOME_PATH");
  if (home != f.facts.env.end()) {
    for (const auto& candidate : f.facts.cann) {
      if (candidate.path == home->second && candidate.real_path.empty()) {
        return failed("cann",
                      "ASCEND_HOME_PATH leads nowhere: " +
                          evidence_text(home->second, 200).get<std::string>(),
                      evidence,
                      "Name the set_env.sh of the installed CANN in set_env of the target.");
      }
    }
  }
  if (!dead.empty()) {
    return warned("cann", "CANN " + f.cann.value + "; links to others lead nowhere", evidence,
                  "Remove the dead links, or reinstall what they should lead to.",
                  Who::administrator);
  }
  return passed("cann", f.cann.value, evidence);
}

Check set_env(const Findings& f) {
  Json evidence = Json::array();
  std::string failed_script;
  std::string error;
  for (const auto& script : f.facts.set_env) {
    evidence.push_back({{"script", evidence_text(script.path, 200)}, {"sourced", script.sourced}});
    if (!script.sourced && failed_script.empty()) {
      failed_script = evidence_text(script.path, 200);
      error = script.error;
    }
  }
  if (!failed_script.empty()) {
    return failed("set_env",
                  failed_script + " could not be sourced" + (error.empty() ? "" : ": " + error),
                  evidence,
                  f.facts.set_env_given ? "Correct set_env of the target."
                                        : "Name the right script in set_env of the target.");
  }
  if (!f.facts.set_env.empty()) return passed("set_env", "sourced", evidence);
  if (f.facts.env.contains("ASCEND_HOME_PATH")) {
    return passed("set_env", "the environment is set already; no script was found to source");
  }
  return warned("set_env", "no set_env.sh was found, and CANN's environment is not set", evidence,
                "Name CANN's set_env.sh in set_env of the target.");
}

Check msprof(const Findings& f) {
  if (!f.facts.msprof_path.empty()) {
    return passed("msprof", evidence_text(f.facts.msprof_path, 200).get<std::string>());
  }
  return failed("msprof", "msprof is not on the PATH: the profiler can't export without it",
                nullptr,
                "Name CANN's set_env.sh in set_env of the target (it puts msprof on the PATH), or "
                "install the toolkit package.");
}

Check profiler_env(const Findings& f) {
  for (const auto* name : {"PROFILER_SAMPLECONFIG", "PROFILING_MODE"}) {
    if (f.facts.env.contains(name)) {
      return failed("profiler_env",
                    std::string(name) + " is set: torch_npu's profiler then does nothing, silently",
                    nullptr, "Unset it for this target.");
    }
  }
  for (const auto* name : {"KINETO_USE_DAEMON", "MSMONITOR_USE_DAEMON", "PROF_CONFIG_PATH"}) {
    if (f.facts.env.contains(name)) {
      return warned("profiler_env",
                    std::string(name) + " is set: another way of profiling may take the profiler",
                    nullptr, "Unset it for this target.");
    }
  }
  return passed("profiler_env", "no variable that changes the profiler is set");
}

}  // namespace

std::vector<Check> software_checks(const Findings& findings) {
  return {driver(findings),      firmware(findings), cann(findings),        set_env(findings),
          driver_cann(findings), msprof(findings),   profiler_env(findings)};
}

}  // namespace npuprof::precheck
