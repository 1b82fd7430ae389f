#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/config.hpp"
#include "core/tool.hpp"
#include "toolset/toolset.hpp"

namespace npuprof {

// A scratch folder with a workspace of the simulated Ascend host, as a target of this machine, and
// a data directory. Removed at the end, with whatever of its runs is alive.
class SimulatedTarget : public testing::Test {
 protected:
  SimulatedTarget() {
    namespace fs = std::filesystem;
    std::string name = (fs::temp_directory_path() / "npuprof-runs-XXXXXX").string();
    scratch_ = fs::canonical(::mkdtemp(name.data()));
    const fs::path simulated = fs::path(NPUPROF_SOURCE_DIR) / "examples" / "simulated_host";
    fs::copy(simulated / "workspace", workspace(), fs::copy_options::recursive);
    fs::permissions(workspace(), fs::perms(0755));
    Target target;
    target.name = "sim";
    target.kind = TargetKind::local;
    target.workspace = workspace();
    target.set_env = {(simulated / "set_env.sh").string()};
    target.path_prepend = {(simulated / "bin").string()};
    target.python = "/usr/bin/python3";
    target.lease_dir = scratch_ / "leases";
    target.allow_env = {"SIMULATED_NPU_FAULTS"};
    config_.targets["sim"] = target;
    config_.data_dir = scratch_ / "data";
    config_.output_roots = {scratch_ / "out"};
  }

  ~SimulatedTarget() override {
    toolset_.reset();
    for (const auto& entry : runs_on_host()) {
      const auto command = "/usr/bin/python3 " + (entry / "supervisor.py").string() + " cancel " +
                           entry.string() + " >/dev/null 2>&1";
      (void)!std::system(command.c_str());
    }
    std::filesystem::remove_all(scratch_);
  }

  std::filesystem::path workspace() const { return scratch_ / "workspace"; }

  std::vector<std::filesystem::path> runs_on_host() const {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(workspace() / ".npuprof" / "runs", error)) {
      found.push_back(entry.path());
    }
    return found;
  }

  std::size_t runs_at_home() const {
    std::error_code error;
    const std::filesystem::directory_iterator all(scratch_ / "data" / "runs", error);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  // As a new process would: whatever the last toolset knew is gone.
  void restart() {
    toolset_.reset();
    toolset_ = *make_toolset(config_, real_clock());
  }

  ToolResult call(const std::string& tool, const Json& arguments) {
    if (!toolset_) restart();
    for (auto* known : toolset_->tools()) {
      if (known->spec().name == tool) return known->call(arguments, context_);
    }
    throw std::logic_error("no tool " + tool);
  }

  // collect_profile of the example by entry, to its end.
  Json collect(const std::string& faults = "", const Json& more = Json::object()) {
    Json arguments = {{"entry", "denoise.py:build"}, {"wait_s", 100}};
    if (!faults.empty()) arguments["env"] = {{"SIMULATED_NPU_FAULTS", faults}};
    arguments.update(more);
    last_ = call("collect_profile", arguments);
    return last_.structured;
  }

  static std::vector<std::string> codes_of(const Json& record) {
    std::vector<std::string> codes;
    for (const auto& anomaly : record.value("anomalies", Json::array())) {
      codes.push_back(anomaly["code"]);
    }
    return codes;
  }

  static std::string error_code(const Json& record) {
    return record.contains("error") ? record["error"].value("code", "") : "";
  }

  std::filesystem::path scratch_;
  Config config_;
  std::unique_ptr<Toolset> toolset_;
  CallContext context_;
  ToolResult last_;
};

// Processes of this machine that carry the run's id in their environment.
inline std::vector<std::string> processes_of(const std::string& run_id) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (text.find("NPUPROF_RUN_ID=" + run_id) != std::string::npos) found.push_back(name);
  }
  return found;
}

}  // namespace npuprof
