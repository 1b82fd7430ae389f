#include <gtest/gtest.h>

#include "made_profile.hpp"

namespace npuprof::evidence {
namespace {

MadeRun run_of(unsigned seed) {
  return {.steps = 5 + static_cast<int>(seed * 7919 % 46),
          .seed = seed,
          .long_last_step = seed % 2 == 0};
}

// A window of five steps after a guard step.
Expectations window_from(std::int64_t first_step_id) {
  Expectations expected;
  expected.warmup_steps = 2;
  expected.guard_steps = 1;
  expected.active_steps = 5;
  expected.first_step_id = first_step_id;
  return expected;
}

TEST(WarmupCampaign, NoFalseAlarmOnAThousandCleanRuns) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    const Assessment assessment = assess_files(make_run(run_of(seed)));
    ASSERT_EQ(assessment.warmup.verdict, WarmupVerdict::stripped)
        << "seed " << seed << ": " << assessment.warmup.evidence.dump(1);
    ASSERT_EQ(assessment.verdict.trust, Trust::trusted)
        << "seed " << seed << ": " << Json(assessment.verdict.reasons).dump(1);
    ASSERT_TRUE(assessment.anomalies.empty())
        << "seed " << seed << ": " << Json(assessment.anomalies).dump(1);
  }
}

TEST(WarmupCampaign, LeaksOfAFactorOneAndAHalfOrMoreAreCalled) {
  constexpr int runs = 400;
  int found = 0;
  int unknown = 0;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    MadeRun run = run_of(seed);
    run.leak_factor = 1.5 + seed % 20 * 0.15;
    run.leaking_steps = 1 + static_cast<int>(seed % 3) % std::max(1, run.steps / 4);
    const Assessment assessment = assess_files(make_run(run));
    found += assessment.warmup.verdict == WarmupVerdict::not_stripped;
    unknown += assessment.warmup.verdict == WarmupVerdict::unknown;
  }
  RecordProperty("not_stripped", found);
  RecordProperty("unknown", unknown);
  EXPECT_GE(found, runs * 95 / 100);
  EXPECT_LE(unknown, runs * 5 / 100);
}

TEST(WarmupCampaign, ALeakBeforeEnoughSettledStepsIsUsableWithCare) {
  MadeRun run{.steps = 8, .seed = 3, .leak_factor = 2, .leaking_steps = 1};
  const Assessment assessment = assess_files(make_run(run));
  EXPECT_EQ(assessment.warmup.verdict, WarmupVerdict::not_stripped);
  EXPECT_EQ(assessment.verdict.trust, Trust::usable_with_care);
}

TEST(WarmupCampaign, GuardStepsAreLeftOutOfTheVerdict) {
  MadeRun run{.steps = 6, .seed = 4, .leak_factor = 2, .leaking_steps = 1};
  const Expectations expected = window_from(2);
  const Assessment assessment = assess_files(make_run(run), expected);
  EXPECT_EQ(assessment.warmup.verdict, WarmupVerdict::stripped)
      << assessment.warmup.evidence.dump(1);
  EXPECT_EQ(assessment.summary["step_ms"]["steps"], 5);
}

TEST(WarmupCampaign, MoreRecordedThanTheWindowIsNotStripped) {
  const Expectations expected = window_from(3);
  const Assessment assessment = assess_files(make_run({.steps = 7, .seed = 5}), expected);
  EXPECT_EQ(assessment.warmup.verdict, WarmupVerdict::not_stripped);
}

}  // namespace
}  // namespace npuprof::evidence
