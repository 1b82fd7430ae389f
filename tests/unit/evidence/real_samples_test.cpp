#include "real_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "evidence/assessment.hpp"

namespace npuprof::evidence {
namespace {

using Rows = std::map<std::string, std::uint64_t>;

// Rows and events were counted with Python's csv and json modules.
struct Sample {
  const char* folder;
  Rows rows;
  std::set<std::string> anomalies;  // of the severities warning and error
  std::set<std::string> notes;      // of the severity info
  WarmupVerdict warmup;
  Trust trust;
};

std::vector<Sample> samples() {
  using enum WarmupVerdict;
  return {
      {"ascend-optimization-triton-jit-gap",
       {{"a003-op_summary.csv", 7}},
       {"COMPILE_IN_WINDOW", "WARMUP_NOT_STRIPPED"},
       {},
       not_stripped,
       Trust::unusable},
      {"msinsight-db-level0", {}, {}, {"NOT_ASSESSABLE"}, unknown, Trust::unknown},
      {"msinsight-gpt3-2023-rank0",
       {{"communication.json", 28},
        {"communication_matrix.json", 28},
        {"kernel_details.csv", 21},
        {"memory_record.csv", 11},
        {"npu_module_mem.csv", 78},
        {"operator_details.csv", 2},
        {"operator_memory.csv", 28},
        {"step_trace_time.csv", 1}},
       {"MISSING_FILE", "RAGGED_ROWS", "TOTALS_DISAGREE"},
       {"NOT_ASSESSABLE", "TOO_FEW_STEPS", "TOTALS_DISAGREE"},
       unknown,
       Trust::unusable},
      {"msinsight-hybrid-op_summary",
       {{"op_summary_1.csv", 21}},
       {"RAGGED_ROWS"},
       {"NOT_ASSESSABLE", "TOO_FEW_STEPS"},
       unknown,
       Trust::usable_with_care},
      {"msinsight-metadata-8rank", {}, {"NOT_ASSESSABLE"}, {}, unknown, Trust::unknown},
      {"msinsight-text-level0-rank0_ascend_pt",
       {{"kernel_details.csv", 191},
        {"l2_cache.csv", 179},
        {"npu_module_mem.csv", 1001},
        {"step_trace_time.csv", 1},
        {"trace_view.json", 8375}},
       {},
       {"NOT_ASSESSABLE", "TOO_FEW_STEPS"},
       unknown,
       Trust::usable_with_care},
      {"msinsight-text-level1-rank0_ascend_pt",
       {{"api_statistic.csv", 57},
        {"communication.json", 4},
        {"communication_matrix.json", 6},
        {"kernel_details.csv", 191},
        {"op_statistic.csv", 33},
        {"operator_details.csv", 859},
        {"operator_memory.csv", 184},
        {"step_trace_time.csv", 1},
        {"trace_view.json", 10112}},
       {},
       {"TOO_FEW_STEPS"},
       stripped,
       Trust::trusted},
      {"msinsight-trace-fragments",
       {{"heatMap_trace_view.json", 6}, {"trace_view_tiny.json", 23}},
       {},
       {"NOT_ASSESSABLE"},
       unknown,
       Trust::usable_with_care},
      {"msprof-analyze-2023-arith",
       {{"kernel_details.csv", 591}},
       {},
       {"NOT_ASSESSABLE", "TOO_FEW_STEPS"},
       unknown,
       Trust::usable_with_care},
      {"msprof-analyze-level0-min",
       {{"kernel_details_level0.csv", 8}},
       {},
       {"NOT_ASSESSABLE"},
       unknown,
       Trust::usable_with_care},
      {"msprof-analyze-trace-2024",
       {{"trace_view.json", 3670}},
       {},
       {"TOO_FEW_STEPS"},
       stripped,
       Trust::usable_with_care},
      {"orangeredeng-lfs-pointer",
       {},
       {"GIT_LFS_POINTER"},
       {"NOT_ASSESSABLE"},
       unknown,
       Trust::unusable},
      {"vllm-ascend-PROF-l2cache",
       {{"api_statistic_20260823165532.csv", 24}, {"op_summary_20260823165532.csv", 3}},
       {"COMPILE_IN_WINDOW", "WARMUP_NOT_STRIPPED"},
       {},
       not_stripped,
       Trust::unusable},
  };
}

TEST(RealSamples, AreAllJudgedAsCountedAndReadByHand) {
  NEEDS_REAL_SAMPLES();
  std::set<std::string> known;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.folder);
    known.insert(sample.folder);
    const Assessment assessment = assess(real_samples() / sample.folder);
    Rows rows;
    for (const FileEntry& file : assessment.files) {
      if (file.rows) rows[file.name] = *file.rows;
    }
    EXPECT_EQ(rows, sample.rows);
    std::set<std::string> anomalies;
    std::set<std::string> notes;
    for (const Anomaly& anomaly : assessment.anomalies) {
      (anomaly.severity == Severity::info ? notes : anomalies).insert(anomaly.code);
    }
    EXPECT_EQ(anomalies, sample.anomalies);
    EXPECT_EQ(notes, sample.notes);
    EXPECT_EQ(assessment.warmup.verdict, sample.warmup);
    EXPECT_EQ(assessment.verdict.trust, sample.trust);
  }
  for (const auto& folder : std::filesystem::directory_iterator(real_samples())) {
    if (!folder.is_directory()) continue;
    EXPECT_TRUE(known.contains(folder.path().filename().string())) << folder.path();
  }
}

TEST(RealSamples, SummariesAreWhatTheTablesSay) {
  NEEDS_REAL_SAMPLES();
  const Json summary = assess(real_samples() / "msinsight-text-level1-rank0_ascend_pt").summary;
  EXPECT_DOUBLE_EQ(summary["device"]["busy_us"], 110836.959);
  EXPECT_DOUBLE_EQ(summary["device"]["free_us"], 25744.05);
  EXPECT_DOUBLE_EQ(summary["step_ms"]["median"], 155.986);
  // op_statistic.csv of the same profile: ForeachAddList 3 times, 1959.079 us.
  const Json& second = summary["top_operators"][1];
  EXPECT_EQ(second["name"], "ForeachAddList");
  EXPECT_EQ(second["count"], 3);
  EXPECT_DOUBLE_EQ(second["total_us"], 1959.079);
}

TEST(RealSamples, AStoppedReadingIsUnknownAndNeverAPass) {
  NEEDS_REAL_SAMPLES();
  std::stop_source stop;
  stop.request_stop();
  const Assessment assessment =
      assess(real_samples() / "msinsight-text-level1-rank0_ascend_pt", {}, stop.get_token());
  EXPECT_EQ(assessment.verdict.trust, Trust::unknown);
  for (const Check& check : assessment.checks)
    EXPECT_NE(check.status, CheckStatus::pass) << check.id;
}

TEST(RealSamples, AFileAloneIsRead) {
  NEEDS_REAL_SAMPLES();
  const Assessment assessment =
      assess(real_samples() / "msprof-analyze-2023-arith" / "kernel_details.csv");
  ASSERT_EQ(assessment.files.size(), 1U);
  EXPECT_EQ(assessment.files[0].rows, 591U);
}

}  // namespace
}  // namespace npuprof::evidence
