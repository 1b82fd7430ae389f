// The whole way on a real shell: the probe runs on this machine, against the simulated host.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/schema.hpp"
#include "fakes/scratch_directory.hpp"
#include "host/local_host.hpp"
#include "precheck/precheck.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::precheck {
namespace {

namespace fs = std::filesystem;

const fs::path simulated = fs::path(NPUPROF_SOURCE_DIR) / "examples" / "simulated_host";

Target simulated_target(const fs::path& scratch) {
  Target target;
  target.name = "demo";
  target.kind = TargetKind::local;
  target.workspace = (scratch / "workspace").string();
  target.lease_dir = (scratch / "leases").string();
  target.set_env = {(simulated / "set_env.sh").string()};
  target.path_prepend = {(simulated / "bin").string()};
  fs::create_directories(target.workspace);
  return target;
}

const Check& check(const PrecheckReport& report, const std::string& id) {
  const auto found = std::find_if(report.checks.begin(), report.checks.end(),
                                  [&](const Check& one) { return one.id == id; });
  if (found == report.checks.end()) throw std::logic_error("no check " + id);
  return *found;
}

TEST(PrecheckOfTheSimulatedHost, SaysThatItIsSimulatedAndReady) {
  fakes::ScratchDirectory scratch;
  LocalHost host;
  const auto report = run_precheck(host, simulated_target(scratch.path()), {}, {});
  const Json json(report);
  EXPECT_TRUE(report.ok) << json.dump(1);
  EXPECT_TRUE(report.simulated);
  ASSERT_TRUE(report.facts.has_value());
  EXPECT_TRUE(report.facts->complete);
  EXPECT_FALSE(report.devices.empty());
  EXPECT_FALSE(report.recommended_device_ids.empty()) << report.recommendation;
  for (const auto* id : {"npu_smi", "device_access", "device_map", "health", "occupancy", "driver",
                         "cann", "set_env", "python", "torch", "torch_npu", "torch_pair",
                         "torch_npu_import", "msprof", "workspace"}) {
    EXPECT_EQ(check(report, id).status, CheckStatus::pass)
        << id << ": " << check(report, id).message;
  }
  EXPECT_FALSE(report.versions.cann.value.empty());
  const auto violations = Schema::of(schemas::load("precheck_output")).violations(json);
  EXPECT_TRUE(violations.empty()) << violations[0].path << ": " << violations[0].message;
  EXPECT_EQ(report.set_env.size(), 1U);
}

TEST(PrecheckOfTheSimulatedHost, AQuickOneDoesNotImport) {
  fakes::ScratchDirectory scratch;
  LocalHost host;
  const auto report =
      run_precheck(host, simulated_target(scratch.path()), {.level = Level::quick}, {});
  EXPECT_TRUE(report.ok) << Json(report).dump(1);
  EXPECT_EQ(check(report, "torch_npu_import").status, CheckStatus::skip);
}

TEST(PrecheckOfTheSimulatedHost, AScriptThatEndsItsShellDoesNotEndTheProbe) {
  fakes::ScratchDirectory scratch;
  LocalHost host;
  auto target = simulated_target(scratch.path());
  const auto broken = (scratch.path() / "set_env.sh").string();
  ASSERT_TRUE(host.write_file(broken, "echo about to leave\nexit 3\n", 0644));
  target.set_env = {broken};
  const auto report = run_precheck(host, target, {.level = Level::quick}, {});
  ASSERT_TRUE(report.facts.has_value());
  EXPECT_TRUE(report.facts->complete);
  const auto& set_env = check(report, "set_env");
  EXPECT_EQ(set_env.status, CheckStatus::fail);
  EXPECT_NE(set_env.message.find("about to leave"), std::string::npos) << set_env.message;
}

TEST(PrecheckOfTheSimulatedHost, LeavesNothingBehind) {
  fakes::ScratchDirectory scratch;
  LocalHost host;
  const auto target = simulated_target(scratch.path());
  run_precheck(host, target, {}, {});
  std::size_t entries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) {
    entries += entry.path() == target.workspace ? 0 : 1;
  }
  EXPECT_EQ(entries, 0U);
}

}  // namespace
}  // namespace npuprof::precheck
