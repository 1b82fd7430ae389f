#include "../collect_profile/simulated_target.hpp"
#include "core/error_codes.hpp"
#include "core/resource.hpp"
#include "core/sha256.hpp"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FetchArtifactTest : public SimulatedTarget {
 protected:
  // A profile-like directory below the workspace.
  void make_directory(const std::string& name) {
    const auto output = workspace() / name / "x_ascend_pt" / "ASCEND_PROFILER_OUTPUT";
    fs::create_directories(output);
    std::ofstream(output / "op_statistic.csv") << "OP Type,Count\r\nMatMul,3\r\nAdd,4\r\n";
    std::ofstream(workspace() / name / "x_ascend_pt" / "profiler_info_0.json") << "{}";
  }
};

TEST_F(FetchArtifactTest, a_directory_of_the_target_comes_home_byte_for_byte_with_its_rows) {
  make_directory("old_profile");
  const auto record =
      call("fetch_artifact", {{"target", "sim"}, {"remote_dir", "old_profile"}}).structured;
  ASSERT_EQ(record["artifact"]["state"], "verified") << record.dump(1);
  EXPECT_EQ(record["simulated"], true);
  const fs::path home = record["artifact"]["directory"].get<std::string>();
  const fs::path file = "x_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv";
  EXPECT_EQ(*sha256_of_file(home / file), *sha256_of_file(workspace() / "old_profile" / file));
  bool found = false;
  for (const auto& entry : record["artifact"]["files"]) {
    if (entry["name"] != "op_statistic.csv") continue;
    found = true;
    EXPECT_EQ(entry["rows"], 2);
  }
  EXPECT_TRUE(found);
}

TEST_F(FetchArtifactTest, the_same_directory_gives_the_same_record_again) {
  make_directory("old_profile");
  const Json arguments = {{"target", "sim"}, {"remote_dir", "old_profile"}};
  const auto first = call("fetch_artifact", arguments).structured;
  restart();
  const auto second = call("fetch_artifact", arguments).structured;
  EXPECT_EQ(first["run_id"], second["run_id"]);
  EXPECT_EQ(second["artifact"]["sha256"], first["artifact"]["sha256"]);
  EXPECT_EQ(runs_at_home(), 1U);
}

TEST_F(FetchArtifactTest, without_arguments_the_latest_runs_are_listed) {
  auto listed = call("fetch_artifact", Json::object());
  EXPECT_TRUE(listed.structured["runs"].empty());
  make_directory("old_profile");
  call("fetch_artifact", {{"remote_dir", "old_profile"}});
  listed = call("fetch_artifact", Json::object());
  EXPECT_EQ(listed.structured["runs"].size(), 1U);
  EXPECT_THAT(listed.text, HasSubstr("verified"));
}

TEST_F(FetchArtifactTest, what_must_not_be_fetched_is_refused) {
  make_directory("old_profile");
  const std::vector<std::pair<Json, std::string>> calls = {
      {{{"run_id", "sim-20260101-000000-aaaaaaaa"}}, codes::run_unknown},
      {{{"run_id", "../../etc"}}, codes::run_unknown},
      {{{"run_id", "sim-20260101-000000-aaaaaaaa"}, {"target", "sim"}}, codes::run_unknown},
      {{{"remote_dir", "/etc"}}, codes::path_outside_workspace},
      {{{"remote_dir", "../.."}}, codes::path_outside_workspace},
      {{{"remote_dir", "nothing"}}, codes::not_found},
      {{{"remote_dir", "denoise.py"}}, codes::invalid_arguments},
      {{{"remote_dir", "old_profile"}, {"remove_remote", true}}, codes::invalid_arguments},
      {{{"remote_dir", "old_profile"}, {"output_dir", "/etc/x"}}, codes::path_not_allowed},
      {{{"remote_dir", "old_profile"}, {"output_dir", (scratch_ / "out/../x").string()}},
       codes::path_not_allowed}};
  for (const auto& [arguments, code] : calls) {
    const auto result = call("fetch_artifact", arguments);
    EXPECT_TRUE(result.is_error) << arguments.dump();
    EXPECT_EQ(error_code(result.structured), code) << arguments.dump();
  }
  EXPECT_EQ(runs_at_home(), 0U);
}

TEST_F(FetchArtifactTest, output_dir_below_an_allowed_root_gets_the_files) {
  make_directory("old_profile");
  const auto out = scratch_ / "out" / "here";
  const auto record =
      call("fetch_artifact", {{"remote_dir", "old_profile"}, {"output_dir", out.string()}})
          .structured;
  EXPECT_TRUE(fs::exists(out / "manifest.json")) << record.dump(1);
  EXPECT_TRUE(fs::exists(out / "profile_l1" / "x_ascend_pt" / "profiler_info_0.json"));
}

TEST_F(FetchArtifactTest, a_run_of_another_data_directory_is_adopted_by_its_id) {
  const auto record = collect();
  const std::string run_id = record["run_id"];
  config_.data_dir = scratch_ / "other_data";
  restart();
  const auto adopted =
      call("fetch_artifact", {{"run_id", run_id}, {"target", "sim"}, {"wait_s", 100}}).structured;
  EXPECT_EQ(adopted["artifact"]["state"], "verified") << adopted.dump(1);
  EXPECT_EQ(adopted["run_id"], run_id);
  EXPECT_EQ(adopted["simulated"], true);
}

TEST_F(FetchArtifactTest, remove_remote_removes_the_runs_own_directory_once_it_is_verified) {
  const auto record = collect();
  const auto fetched =
      call("fetch_artifact", {{"run_id", record["run_id"]}, {"remove_remote", true}}).structured;
  EXPECT_EQ(fetched["artifact"]["state"], "verified") << fetched.dump(1);
  EXPECT_TRUE(runs_on_host().empty());
  EXPECT_TRUE(fs::exists(record["artifact"]["directory"].get<std::string>()));
}

TEST_F(FetchArtifactTest, the_files_of_a_run_are_resources_and_nothing_else_is) {
  make_directory("old_profile");
  const auto record = call("fetch_artifact", {{"remote_dir", "old_profile"}}).structured;
  const std::string base = "npuprof://runs/" + record["run_id"].get<std::string>() + "/";
  auto& resources = toolset_->resources();
  EXPECT_EQ(resources.list("")->items.size(), 1U);
  const auto manifest = resources.read(base + "manifest.json", context_);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_TRUE(Json::parse(manifest->front().bytes).contains("files"));
  EXPECT_TRUE(resources.read(
      base + "profile_l1/x_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv", context_));
  for (const char* bad : {"../../../../etc/passwd", "profile_l1/../../../../../etc/passwd", "lock",
                          "profile_l1/", ""}) {
    EXPECT_FALSE(resources.read(base + bad, context_)) << bad;
  }
  EXPECT_FALSE(resources.read("npuprof://runs/../x/manifest.json", context_));
}

}  // namespace
}  // namespace npuprof
