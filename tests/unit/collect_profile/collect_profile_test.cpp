#include "core/error_codes.hpp"
#include "core/schema.hpp"
#include "run/run_store.hpp"
#include "schemas/schemas.hpp"
#include "simulated_target.hpp"

namespace npuprof {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class CollectProfileTest : public SimulatedTarget {};

Json read_json(const std::filesystem::path& file) {
  std::ifstream in(file);
  return Json::parse(in, nullptr, false);
}

TEST_F(CollectProfileTest, a_whole_run_ends_in_a_verified_artifact_with_a_proof_of_every_state) {
  auto record = collect();
  ASSERT_TRUE(record["ok"]) << record.dump(1);
  EXPECT_EQ(record["state"], "captured");
  EXPECT_EQ(record["stage"], "done");
  EXPECT_EQ(record["artifact"]["state"], "verified");
  EXPECT_EQ(record["window"]["step_ms"].size(), 5U);
  EXPECT_EQ(record["window"]["warmup_ms"].size(), 2U);
  for (const char* state : {"accepted", "armed", "recording", "flushed", "exported", "fetched"}) {
    EXPECT_TRUE(record["evidence"].contains(state)) << state;
  }
  EXPECT_EQ(record["workload"]["script_sha256"].get<std::string>().size(), 64U);
  const auto bad = Schema::of(schemas::load("run_record")).violations(record);
  EXPECT_TRUE(bad.empty()) << bad.front().path << ": " << bad.front().message;
  const auto manifest = read_json(record["artifact"]["manifest_path"].get<std::string>());
  const auto bad_manifest = Schema::of(schemas::load("manifest")).violations(manifest);
  EXPECT_TRUE(bad_manifest.empty()) << bad_manifest.front().path;
  EXPECT_THAT(manifest["files"], Contains(testing::Truly([](const Json& file) {
                return file["path"].get<std::string>().ends_with("/kernel_details.csv") &&
                       file.value("rows", 0) > 0;
              })));
  EXPECT_THAT(processes_of(record["run_id"]), IsEmpty());
}

TEST_F(CollectProfileTest, a_simulated_device_is_never_passed_off_as_a_real_one) {
  auto record = collect();
  EXPECT_EQ(record["simulated"], true);
  EXPECT_THAT(last_.text, HasSubstr("SIMULATED"));
  EXPECT_EQ(read_json(record["artifact"]["manifest_path"].get<std::string>())["simulated"], true);
}

TEST_F(CollectProfileTest, text_and_record_stay_small) {
  auto record = collect("stderr_flood:4,crash_at_step:3");
  EXPECT_LE(std::count(last_.text.begin(), last_.text.end(), '\n'), 39);
  EXPECT_LE(record.dump().size(), 24'000U);
}

TEST_F(CollectProfileTest, every_line_of_the_journal_has_its_schema) {
  auto record = collect();
  const auto store = run::RunStore::open(config_.data_dir, real_clock());
  const auto lines = store->journal(record["run_id"]).read();
  ASSERT_TRUE(lines);
  const auto schema = Schema::of(schemas::load("journal"));
  for (const auto& line : *lines) EXPECT_TRUE(schema.violations(line).empty()) << line.dump();
  for (const char* stage : {"precheck", "launch", "follow", "fetch", "judge"}) {
    EXPECT_TRUE(run::has_begun(*lines, stage)) << stage;
    EXPECT_TRUE(run::has_ended_well(*lines, stage)) << stage;
  }
  const auto saved = read_json(store->directory(record["run_id"]) / "run.json");
  EXPECT_TRUE(Schema::of(schemas::load("run")).violations(saved).empty());
}

struct FaultCase {
  const char* faults;
  const char* state;
  const char* code;  // of the error, or of an anomaly where the run was captured
};

class FaultTest : public SimulatedTarget, public testing::WithParamInterface<FaultCase> {};

TEST_P(FaultTest, is_told_by_its_name) {
  const auto& wanted = GetParam();
  auto record = collect(wanted.faults, {{"timeout_s", 15}, {"export_timeout_s", 15}});
  EXPECT_EQ(record["state"], wanted.state) << record.dump(1);
  if (std::string(wanted.state) == "captured") {
    EXPECT_THAT(codes_of(record), Contains(wanted.code)) << record.dump(1);
  } else {
    EXPECT_EQ(error_code(record), wanted.code) << record.dump(1);
    EXPECT_FALSE(record["ok"]);
    EXPECT_TRUE(last_.is_error);
  }
  EXPECT_NE(record.value("/verdict/trust"_json_pointer, "unknown"), "trusted");
  EXPECT_THAT(processes_of(record["run_id"]), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    each_fault, FaultTest,
    testing::Values(FaultCase{"warmup_leak", "captured", "WARMUP_NOT_STRIPPED"},
                    FaultCase{"compile_in_window", "captured", "COMPILE_IN_WINDOW"},
                    FaultCase{"lost_steps:2", "captured", "TOO_FEW_STEPS"},
                    FaultCase{"step_mismatch", "captured", "STEP_COUNT_MISMATCH"},
                    FaultCase{"missing_file:kernel_details.csv", "captured", "MISSING_FILE"},
                    FaultCase{"empty_table:kernel_details.csv", "captured", "EMPTY_TABLE"},
                    FaultCase{"stale_output:kernel_details.csv", "captured", "STALE_OUTPUT"},
                    FaultCase{"truncated_trace", "captured", "TRUNCATED_TRACE"},
                    FaultCase{"empty_export", "failed", "EXPORT_FAILED"},
                    FaultCase{"export_fails", "failed", "EXPORT_FAILED"},
                    FaultCase{"crash_at_step:3", "failed", "WORKLOAD_FAILED"},
                    FaultCase{"kill_at_step:4", "failed", "WORKLOAD_FAILED"},
                    FaultCase{"hang_at_step:3", "timed_out", "TIMED_OUT"},
                    FaultCase{"export_hangs", "timed_out", "TIMED_OUT"}),
    [](const auto& fault) {
      std::string name = fault.param.faults;
      for (auto& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name;
    });

TEST_F(CollectProfileTest, an_export_that_works_offline_only_is_no_fault) {
  EXPECT_EQ(collect("export_offline_only")["artifact"]["state"], "verified");
}

TEST_F(CollectProfileTest, a_crash_shows_the_workloads_last_words_and_keeps_them) {
  auto record = collect("crash_at_step:3");
  EXPECT_THAT(record["log_tail"].get<std::string>(), HasSubstr("simulated crash in step 3"));
  EXPECT_THAT(last_.text, HasSubstr("simulated crash in step 3"));
}

TEST_F(CollectProfileTest, binary_output_does_not_break_the_record) {
  auto record = collect("binary_output,crash_at_step:2");
  EXPECT_EQ(record["state"], "failed");
  EXPECT_NO_THROW((void)record.dump());
  EXPECT_EQ(record["log_tail"].get<std::string>().find('\x1b'), std::string::npos);
}

TEST_F(CollectProfileTest, a_call_that_stops_waiting_leaves_the_run_and_says_how_to_wait_on) {
  auto record = collect("slow_steps:300", {{"wait_s", 0}});
  ASSERT_TRUE(record["ok"]) << record.dump(1);
  EXPECT_THAT(record["next"].get<std::string>(), HasSubstr("fetch_artifact"));
  record = call("fetch_artifact", {{"run_id", record["run_id"]}, {"wait_s", 100}}).structured;
  EXPECT_EQ(record["artifact"]["state"], "verified") << record.dump(1);
}

TEST_F(CollectProfileTest, a_cancelled_run_is_gone_from_the_host_and_its_lease_with_it) {
  auto started = collect("slow_steps:1000,setsid_child", {{"wait_s", 0}});
  const std::string run_id = started["run_id"];
  auto record = call("cancel_run", {{"run_id", run_id}}).structured;
  EXPECT_EQ(record["state"], "cancelled") << record.dump(1);
  EXPECT_TRUE(record["ok"]);
  EXPECT_THAT(processes_of(run_id), IsEmpty());
  EXPECT_EQ(call("cancel_run", {{"run_id", run_id}}).structured["state"], "cancelled");
  EXPECT_EQ(collect()["state"], "captured");
}

TEST_F(CollectProfileTest, a_new_process_carries_a_run_on_without_a_second_start) {
  auto started = collect("slow_steps:300", {{"wait_s", 2}});
  const std::string run_id = started["run_id"];
  restart();
  auto record = call("fetch_artifact", {{"run_id", run_id}, {"wait_s", 100}}).structured;
  EXPECT_EQ(record["artifact"]["state"], "verified") << record.dump(1);
  EXPECT_EQ(runs_on_host().size(), 1U);
  EXPECT_EQ(record["window"]["step_ms"].size(), 5U);
}

TEST_F(CollectProfileTest, one_key_makes_one_run) {
  const Json keyed = {{"run_key", "baseline"}};
  auto first = collect("", keyed);
  restart();
  auto second = collect("", keyed);
  EXPECT_EQ(first["run_id"], second["run_id"]);
  EXPECT_EQ(runs_on_host().size(), 1U);
  auto other = collect("", {{"run_key", "baseline"}, {"active_steps", 7}});
  EXPECT_EQ(error_code(other), codes::run_key_conflict);
  EXPECT_THAT(other["error"]["message"].get<std::string>(),
              HasSubstr(first["run_id"].get<std::string>()));
  EXPECT_EQ(runs_at_home(), 1U);
}

TEST_F(CollectProfileTest, a_device_that_a_run_holds_is_refused_with_the_holders_id) {
  const Json on_device_0 = {{"device_ids", {0}}, {"wait_s", 4}};
  auto first = collect("slow_steps:2000", on_device_0);
  ASSERT_EQ(first["state"], "running") << first.dump(1);
  auto second = collect("", {{"device_ids", {0}}, {"precheck", "skip"}});
  EXPECT_EQ(error_code(second), codes::device_busy) << second.dump(1);
  EXPECT_THAT(second.dump(), HasSubstr(first["run_id"].get<std::string>()));
  call("cancel_run", {{"run_id", first["run_id"]}});
}

struct BadCall {
  const char* name;
  Json arguments;
  const char* code;
};

TEST_F(CollectProfileTest, a_bad_call_says_that_nothing_was_run_and_leaves_nothing) {
  std::filesystem::create_directory(workspace() / "folder");
  std::filesystem::create_symlink("/etc/passwd", workspace() / "link.py");
  const std::vector<BadCall> calls = {
      {"no workload", Json::object(), codes::invalid_arguments},
      {"two workloads",
       {{"entry", "denoise.py:build"}, {"script", "infer.py"}},
       codes::invalid_arguments},
      {"unknown target",
       {{"entry", "denoise.py:build"}, {"target", "nowhere"}},
       codes::target_unknown},
      {"missing script", {{"script", "nothing.py"}}, codes::not_found},
      {"directory", {{"script", "folder"}}, codes::invalid_arguments},
      {"outside", {{"script", "/etc/passwd"}}, codes::path_outside_workspace},
      {"outside by dots", {{"script", "../../../../etc/passwd"}}, codes::path_outside_workspace},
      {"outside by a link", {{"script", "link.py"}}, codes::path_outside_workspace},
      {"profile outside",
       {{"script", "infer.py"}, {"profile_dir", "../x"}},
       codes::invalid_arguments},
      {"variable",
       {{"entry", "denoise.py:build"}, {"env", {{"LD_PRELOAD", "x.so"}}}},
       codes::invalid_arguments},
      {"rank", {{"entry", "denoise.py:build"}, {"ranks", {3}}}, codes::invalid_arguments},
      {"no function", {{"entry", "denoise.py"}}, codes::invalid_arguments}};
  for (const auto& bad : calls) {
    const auto result = call("collect_profile", bad.arguments);
    EXPECT_TRUE(result.is_error) << bad.name;
    EXPECT_EQ(error_code(result.structured), bad.code) << bad.name << result.structured.dump(1);
    if (std::string(bad.code) != codes::target_unknown) {
      EXPECT_THAT(result.text, HasSubstr("nothing was run")) << bad.name;
    }
  }
  EXPECT_EQ(runs_at_home(), 0U);
  EXPECT_FALSE(std::filesystem::exists(workspace() / ".npuprof"));
}

TEST_F(CollectProfileTest, an_unknown_device_names_the_known_ones_and_starts_nothing) {
  auto record = collect("", {{"device_ids", {7}}});
  EXPECT_EQ(error_code(record), codes::device_unknown) << record.dump(1);
  EXPECT_TRUE(runs_on_host().empty());
}

TEST_F(CollectProfileTest, a_missing_workspace_or_python_is_said) {
  config_.targets["sim"].workspace = scratch_ / "nowhere";
  auto record = collect();
  EXPECT_EQ(error_code(record), codes::not_found) << record.dump(1);
  config_.targets["sim"].workspace = workspace();
  config_.targets["sim"].python = "/nowhere/python3";
  restart();
  record = collect();
  EXPECT_FALSE(record["ok"]);
  EXPECT_TRUE(runs_on_host().empty());
}

}  // namespace
}  // namespace npuprof
