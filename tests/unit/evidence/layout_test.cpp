#include "evidence/layout.hpp"

#include <gtest/gtest.h>

namespace npuprof::evidence {
namespace {

TEST(Layout, FindsTheProfileOfEachFile) {
  const Place output = place_of("a/w_1_2_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", "x");
  EXPECT_EQ(output.profile, "a/w_1_2_ascend_pt");
  EXPECT_EQ(output.layout, Layout::torch_npu);
  EXPECT_EQ(output.kind, FileKind::kernel_details);
  EXPECT_TRUE(output.in_output);

  EXPECT_EQ(place_of("a/w_1_2_ascend_pt/profiler_info_0.json", "x").profile, "a/w_1_2_ascend_pt");
  EXPECT_EQ(place_of("a/ASCEND_PROFILER_OUTPUT/trace_view.json", "x").profile, "a");
  EXPECT_EQ(place_of("a/profiler_info_0.json", "x").profile, "a");
  EXPECT_EQ(place_of("trace_view.json", "ASCEND_PROFILER_OUTPUT").layout, Layout::torch_npu);
  EXPECT_EQ(place_of("trace_view.json", "ASCEND_PROFILER_OUTPUT").profile, "");
}

TEST(Layout, LeavesRawDataOfAProfileUnjudged) {
  const Place raw = place_of(
      "w_ascend_pt/PROF_000001_20260823165523228_00627338KRCOPCPN/mindstudio_profiler_output/"
      "op_summary_20260823165532.csv",
      "x");
  EXPECT_TRUE(raw.raw);
  EXPECT_EQ(raw.profile, "w_ascend_pt");
}

TEST(Layout, KnowsMsprofsOwn) {
  const Place place = place_of(
      "PROF_000001_20260823165523228_00627338KRCOPCPN/mindstudio_profiler_output/msprof_1.json",
      "x");
  EXPECT_EQ(place.layout, Layout::msprof);
  EXPECT_EQ(place.kind, FileKind::trace);
  EXPECT_EQ(place.profile, "PROF_000001_20260823165523228_00627338KRCOPCPN");
}

TEST(Layout, TellsExportsOfDifferentTimesApart) {
  EXPECT_EQ(export_stamp("op_summary_20260823165532.csv"), "20260823165532");
  EXPECT_EQ(export_stamp("op_summary_slice_0_20260823165532.csv"), "20260823165532");
  EXPECT_EQ(export_stamp("kernel_details.csv"), "");
  EXPECT_EQ(export_stamp("op_summary_1.csv"), "");
}

}  // namespace
}  // namespace npuprof::evidence
