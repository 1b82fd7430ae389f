// The simulated host's faults make the anomalies that they are meant to, as evidence reads them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "core/json.hpp"
#include "evidence/assessment.hpp"

namespace npuprof::evidence {
namespace {

using std::filesystem::path;
using testing::Contains;
using testing::Not;

class Anomalies : public testing::Test {
 protected:
  path scratch_;

  void SetUp() override {
    auto name = (std::filesystem::temp_directory_path() / "npuprof_anomalies_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(scratch_); }

  // Runs the example workload with the faults and assesses what it left, knowing what npuprof
  // would.
  Assessment assessed(const std::string& faults, const std::string& way = "entry") {
    const path here = path(NPUPROF_SOURCE_DIR) / "tests/unit/runner";
    const auto command = "cd '" + here.string() +
                         "' && '" NPUPROF_TEST_PYTHON "' -B make_profile.py '" + scratch_.string() +
                         "' '" + faults + "' " + way;
    EXPECT_EQ(run(command), "captured\n") << command;
    return assess(scratch_ / "profile_l1", expectations(way));
  }

  std::set<std::string> codes(const std::string& faults, const std::string& way = "entry") {
    std::set<std::string> found;
    for (const auto& anomaly : assessed(faults, way).anomalies) found.insert(anomaly.code);
    return found;
  }

 private:
  static std::string run(const std::string& command) {
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string output;
    char part[256];
    while (pipe && std::fgets(part, sizeof part, pipe.get()) != nullptr) output += part;
    return output;
  }

  Expectations expectations(const std::string& way) const {
    Expectations expected;
    expected.level = "l1";
    expected.warmup_steps = 2;
    expected.ranks = {0};
    expected.way = way;
    expected.simulated = true;
    if (way == "entry") {
      expected.activities = {"npu", "cpu"};
      expected.guard_steps = 1;
      expected.active_steps = 5;
    }
    std::ifstream events(scratch_ / "events.jsonl");
    for (std::string line; std::getline(events, line);) {
      const auto event = Json::parse(line);
      if (!expected.run_began) {
        const std::chrono::duration<double> since(event["t"].get<double>());
        expected.run_began = std::chrono::system_clock::time_point(
            std::chrono::duration_cast<std::chrono::system_clock::duration>(since));
      }
      const auto phase = event.value("phase", "");
      if (phase == "warmup") expected.warmup_ms.push_back(event["ms"]);
      if (phase == "guard") expected.guard_ms.push_back(event["ms"]);
      if (phase == "active") expected.step_ms.push_back(event["ms"]);
      if (phase == "guard") expected.first_step_id = event["step_id"].get<std::int64_t>();
    }
    return expected;
  }
};

std::string words(const Assessment& assessment) {
  return Json(assessment).dump(1);
}

bool is_clean(const Assessment& assessment) {
  return std::ranges::all_of(
             assessment.anomalies,
             [](const Anomaly& anomaly) { return anomaly.severity == Severity::info; }) &&
         assessment.warmup.verdict == WarmupVerdict::stripped &&
         assessment.verdict.trust != Trust::unusable;
}

// A stall of this machine in the first step looks like a warm-up that was too short, and rightly
// so: one clean run of three is asked for.
TEST_F(Anomalies, ACleanRunHasNoneAndItsWarmUpIsStripped) {
  auto assessment = assessed("");
  for (int again = 0; again < 2 && !is_clean(assessment); ++again) {
    std::filesystem::remove_all(scratch_ / "profile_l1");
    assessment = assessed("");
  }
  EXPECT_TRUE(is_clean(assessment)) << words(assessment);
}

TEST_F(Anomalies, WarmupLeakIsWarmupNotStripped) {
  EXPECT_THAT(codes("warmup_leak"), Contains("WARMUP_NOT_STRIPPED"));
}

TEST_F(Anomalies, AProgramWithoutWarmUpIsWarmupNotStripped) {
  EXPECT_THAT(codes("", "script"), Contains("WARMUP_NOT_STRIPPED"));
}

TEST_F(Anomalies, CompileInWindow) {
  EXPECT_THAT(codes("compile_in_window"), Contains("COMPILE_IN_WINDOW"));
}

TEST_F(Anomalies, LostStepsAreTooFew) {
  EXPECT_THAT(codes("lost_steps:2"), Contains("TOO_FEW_STEPS"));
}

TEST_F(Anomalies, StepMismatch) {
  EXPECT_THAT(codes("step_mismatch"), Contains("STEP_COUNT_MISMATCH"));
}

TEST_F(Anomalies, SpilloverRows) {
  EXPECT_THAT(codes("spillover"), Contains("SPILLOVER_ROWS"));
}

TEST_F(Anomalies, MissingFile) {
  EXPECT_THAT(codes("missing_file:kernel_details.csv"), Contains("MISSING_FILE"));
}

TEST_F(Anomalies, EmptyTable) {
  EXPECT_THAT(codes("empty_table:kernel_details.csv"), Contains("EMPTY_TABLE"));
}

TEST_F(Anomalies, StaleOutput) {
  EXPECT_THAT(codes("stale_output:kernel_details.csv"), Contains("STALE_OUTPUT"));
}

TEST_F(Anomalies, TruncatedTrace) {
  EXPECT_THAT(codes("truncated_trace"), Contains("TRUNCATED_TRACE"));
}

}  // namespace
}  // namespace npuprof::evidence
