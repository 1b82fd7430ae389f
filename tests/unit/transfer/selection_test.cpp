#include "transfer/selection.hpp"

#include <gtest/gtest.h>

#include "core/error_codes.hpp"

namespace npuprof::transfer {
namespace {

TEST(Selection, essential_is_everything_but_the_raw_data) {
  EXPECT_TRUE(is_essential("w_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"));
  EXPECT_TRUE(is_essential("w_ascend_pt/profiler_info_0.json"));
  EXPECT_TRUE(is_essential("kernel_details.csv"));
  EXPECT_TRUE(is_essential("PROF_1_2_a/mindstudio_profiler_output/op_summary_1.csv"));
  EXPECT_FALSE(is_essential("w_ascend_pt/PROF_1_2_a/device_0/data/aicore.data.0.slice_0"));
  EXPECT_FALSE(is_essential("w_ascend_pt/FRAMEWORK/torch.op_range"));
}

TEST(Selection, a_glob_without_slash_speaks_of_names) {
  const auto selection = Selection::globs({"*.csv", "trace_view.json"}).value();
  EXPECT_TRUE(selection.wants("a/b/kernel_details.csv"));
  EXPECT_TRUE(selection.wants("x/trace_view.json"));
  EXPECT_FALSE(selection.wants("x/trace_view.jsonl"));
}

TEST(Selection, a_glob_with_slash_speaks_of_the_whole_path) {
  const auto selection =
      Selection::globs({"*/ASCEND_PROFILER_OUTPUT/*.csv", "**/info?.json", "raw/**"}).value();
  EXPECT_TRUE(selection.wants("w/ASCEND_PROFILER_OUTPUT/a.csv"));
  EXPECT_FALSE(selection.wants("v/w/ASCEND_PROFILER_OUTPUT/a.csv"));
  EXPECT_FALSE(selection.wants("w/ASCEND_PROFILER_OUTPUT/b/a.csv"));
  EXPECT_TRUE(selection.wants("info1.json"));
  EXPECT_TRUE(selection.wants("a/b/info1.json"));
  EXPECT_FALSE(selection.wants("a/b/info12.json"));
  EXPECT_TRUE(selection.wants("raw/a/b"));
}

TEST(Selection, a_hostile_glob_costs_little) {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  const auto selection = Selection::globs({glob + "b"}).value();
  EXPECT_FALSE(selection.wants(std::string(250, 'a')));
}

TEST(Selection, takes_what_a_tool_takes) {
  EXPECT_EQ(Selection::from_json("essential").value().description(), "essential");
  EXPECT_EQ(Selection::from_json(nullptr).value().description(), "all");
  EXPECT_EQ(Selection::from_json(Json::array({"*.csv", "*.json"})).value().description(),
            "*.csv, *.json");
  EXPECT_EQ(Selection::from_json(Json::array()).error().code, codes::invalid_arguments);
  EXPECT_EQ(Selection::from_json(Json::array({1})).error().code, codes::invalid_arguments);
}

}  // namespace
}  // namespace npuprof::transfer
