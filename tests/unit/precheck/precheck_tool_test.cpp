#include <gtest/gtest.h>

#include <filesystem>

#include "core/error_codes.hpp"
#include "core/schema.hpp"
#include "fakes/scratch_directory.hpp"
#include "host/local_host.hpp"
#include "precheck/precheck.hpp"
#include "probe_text.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::precheck {
namespace {

namespace fs = std::filesystem;

Config with_targets(const std::vector<std::string>& names) {
  Config config;
  for (const auto& name : names) {
    Target target;
    target.name = name;
    target.workspace = "/home/dev/work";
    config.targets[name] = target;
  }
  return config;
}

void expect_schema(const ToolResult& result) {
  const auto violations =
      Schema::of(schemas::load("precheck_output")).violations(result.structured);
  EXPECT_TRUE(violations.empty()) << violations[0].path << ": " << violations[0].message << "\n"
                                  << result.structured.dump(1);
  EXPECT_LE(std::count(result.text.begin(), result.text.end(), '\n'), 40);
  EXPECT_LT(result.structured.dump().size(), 28'000U) << "8,000 tokens are about 32,000 bytes";
}

const Json& check(const ToolResult& result, const std::string& id) {
  for (const auto& one : result.structured["checks"]) {
    if (one["id"] == id) return one;
  }
  throw std::logic_error("no check " + id);
}

HostOf answering(const ProbeText& text) {
  return [text](const Target&) -> Result<std::shared_ptr<Host>> { return host_saying(text); };
}

HostOf refusing(const std::string& code) {
  return [code](const Target&) -> Result<std::shared_ptr<Host>> {
    return fail(
        {.code = code, .message = "refused: " + code, .remedy = "do this", .who = Who::user});
  };
}

TEST(PrecheckTool, ItsSchemasAreCheckedWhole) {
  EXPECT_TRUE(Schema::compile(schemas::load("precheck_input")).has_value());
  EXPECT_TRUE(Schema::compile(schemas::load("precheck_output")).has_value());
}

TEST(PrecheckTool, ListsTheTargetsWhereNoneIsNamed) {
  const auto config = with_targets({"a2", "a3"});
  CallContext context;
  auto result = make_precheck(config, answering({}))->call(Json::object(), context);
  EXPECT_FALSE(result.is_error);
  ASSERT_EQ(result.structured["targets"].size(), 2U) << result.structured;
  EXPECT_EQ(result.structured["targets"][0]["name"], "a2");
  expect_schema(result);
}

TEST(PrecheckTool, AnUnknownTargetIsAnError) {
  const auto config = with_targets({"a2"});
  CallContext context;
  auto result = make_precheck(config, answering({}))->call({{"target", "b7"}}, context);
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.structured["error"]["code"], "TARGET_UNKNOWN");
  expect_schema(result);
}

TEST(PrecheckTool, TellsAHealthyHost) {
  const auto config = with_targets({"a2"});
  CallContext context;
  auto result = make_precheck(config, answering({}))->call(Json::object(), context);
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(result.structured["ok"], true) << result.text;
  EXPECT_EQ(result.structured["inference"]["ran"], false);
  EXPECT_EQ(check(result, "inference")["status"], "skip");
  expect_schema(result);
}

TEST(PrecheckTool, EachWayNotToReachAHostIsACheckAndTheRestIsSkipped) {
  const std::vector<std::pair<std::string, std::string>> ways = {
      {codes::host_unreachable, "connection"}, {codes::connection_lost, "connection"},
      {codes::timed_out, "connection"},        {codes::channel_refused, "connection"},
      {codes::host_key_unknown, "host_key"},   {codes::host_key_changed, "host_key"},
      {codes::auth_failed, "login"},           {codes::container_unavailable, "container"}};
  auto config = with_targets({"a2"});
  config.targets["a2"].container = "mindie";
  for (const auto& [code, id] : ways) {
    CallContext context;
    auto result = make_precheck(config, refusing(code))->call(Json::object(), context);
    SCOPED_TRACE(code);
    EXPECT_TRUE(result.is_error);
    EXPECT_EQ(result.structured["ok"], false);
    EXPECT_EQ(result.structured["error"]["code"], code);
    EXPECT_EQ(check(result, id)["status"], "fail");
    EXPECT_EQ(check(result, id)["remedy"], "do this");
    bool behind = false;
    for (const auto& one : result.structured["checks"]) {
      if (behind) {
        EXPECT_EQ(one["status"], "skip") << one;
      }
      behind = behind || one["id"] == id;
    }
    expect_schema(result);
  }
}

TEST(PrecheckTool, ACancelledLookPassesNothing) {
  const auto config = with_targets({"a2"});
  CallContext context;
  const auto result =
      make_precheck(config, refusing(codes::cancelled))->call(Json::object(), context);
  for (const auto& one : result.structured["checks"]) {
    EXPECT_NE(one["status"], "pass") << one;
  }
}

TEST(PrecheckTool, AnAnswerThatIsNoProbesIsAnError) {
  const auto config = with_targets({"a2"});
  CallContext context;
  auto result = make_precheck(config, [](const Target&) -> Result<std::shared_ptr<Host>> {
                  auto host = std::make_shared<fakes::FakeHost>();
                  host->on("npuprof", "This account is not available\n", 1);
                  return host;
                })->call(Json::object(), context);
  EXPECT_TRUE(result.is_error);
  EXPECT_NE(result.structured["error"]["message"].get<std::string>().find("not available"),
            std::string::npos);
  expect_schema(result);
}

TEST(PrecheckTool, ALeasedDeviceIsBusyWithItsHolder) {
  ProbeText text;
  text.set("place", "lease_dir", "/var/tmp/npuprof-leases");
  for (const auto* key : {"0000_C0_00.0.lock", "0000_C1_00.0.lock"}) {
    text.set("place", std::string("lease ") + key, R"({"run_id": "a2-20260301-1", "pid": 5})");
  }
  text.python(R"({"version": "3.10.12", "packages": {"torch": "2.6.0", "torch_npu": "2.6.0"},)"
              R"( "locked": ["0000_C0_00.0.lock", "0000_C1_00.0.lock"]})");
  const auto config = with_targets({"a2"});
  CallContext context;
  auto result = make_precheck(config, answering(text))->call(Json::object(), context);
  EXPECT_EQ(result.structured["error"]["code"], "DEVICE_BUSY") << result.text;
  EXPECT_EQ(result.structured["error"]["details"]["holder"], "a2-20260301-1");
  EXPECT_EQ(result.structured["devices"][0]["leased_by"], "a2-20260301-1");
  expect_schema(result);
}

TEST(PrecheckTool, ALookThatBreaksOffTellsWhatItSaw) {
  const auto whole = ProbeText().printed();
  const auto config = with_targets({"a2"});
  for (std::size_t cut = 40; cut < whole.size(); cut += 97) {
    CallContext context;
    auto result = make_precheck(config, [&](const Target&) -> Result<std::shared_ptr<Host>> {
                    auto host = std::make_shared<fakes::FakeHost>();
                    host->on("npuprof", whole.substr(0, cut));
                    return host;
                  })->call(Json::object(), context);
    expect_schema(result);
    if (result.structured.contains("devices") && !result.structured["devices"].empty()) {
      EXPECT_EQ(result.structured["devices"][0]["name"], "910B3");
    }
    if (result.is_error || cut + 12 >= whole.size()) continue;
    EXPECT_EQ(result.structured["ok"], false);
    EXPECT_EQ(check(result, "probe")["status"], "fail");
    EXPECT_TRUE(result.structured["recommended_device_ids"].empty());
    // The leases come last: whatever was cut, they were not seen whole.
    EXPECT_NE(check(result, "leases")["status"], "pass") << cut;
    if (check(result, "npu_smi")["status"] == "unknown") {
      EXPECT_EQ(check(result, "shared_memory")["status"], "unknown") << "absence is no answer";
    }
  }
}

TEST(PrecheckTool, HostsOfManyDevicesStaySmall) {
  ProbeText text;
  std::vector<TableDevice> devices(96);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].used_mb = 30000;
    devices[i].processes = std::to_string(1000 + i) + " python 26000";
  }
  text.set("devices", "info", a2_table(devices), 0).drop("devices", "nodes");
  text.import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 96})");
  const auto config = with_targets({"a2"});
  CallContext context;
  auto result = make_precheck(config, answering(text))->call(Json::object(), context);
  EXPECT_GT(result.structured["devices_left_out"], 0);
  expect_schema(result);
}

// The simulated host, on a real shell, with a workload.
class OneStepOnTheSimulatedHost : public testing::Test {
 protected:
  OneStepOnTheSimulatedHost() {
    const fs::path simulated = fs::path(NPUPROF_SOURCE_DIR) / "examples" / "simulated_host";
    Target target;
    target.name = "demo";
    target.kind = TargetKind::local;
    target.workspace = (scratch_.path() / "workspace").string();
    target.lease_dir = (scratch_.path() / "leases").string();
    target.set_env = {(simulated / "set_env.sh").string()};
    target.path_prepend = {(simulated / "bin").string()};
    fs::copy(simulated / "workspace", target.workspace, fs::copy_options::recursive);
    config_.targets["demo"] = target;
  }

  ToolResult precheck(Json arguments) {
    CallContext context;
    arguments["level"] = "quick";
    return make_precheck(config_,
                         [](const Target&) -> Result<std::shared_ptr<Host>> {
                           return std::make_shared<LocalHost>();
                         })
        ->call(arguments, context);
  }

  fakes::ScratchDirectory scratch_;
  Config config_;
};

TEST_F(OneStepOnTheSimulatedHost, LooksAtTheOutputAndLeavesNothing) {
  auto result = precheck({{"entry", "denoise.py:build"}});
  EXPECT_EQ(result.structured["ok"], true) << result.text;
  const auto& inference = result.structured["inference"];
  EXPECT_EQ(inference["ran"], true) << inference;
  EXPECT_EQ(inference["ok"], true) << inference;
  EXPECT_EQ(inference["steps"], 1);
  EXPECT_FALSE(inference["outputs"].empty());
  EXPECT_EQ(check(result, "inference")["status"], "pass") << check(result, "inference");
  const auto runs = fs::path(config_.targets["demo"].workspace) / ".npuprof" / "runs";
  EXPECT_TRUE(!fs::exists(runs) || fs::is_empty(runs));
  expect_schema(result);
}

TEST_F(OneStepOnTheSimulatedHost, AWorkloadThatDoesNotLoadFailsTheCheck) {
  auto result = precheck({{"entry", "denoise.py:no_such_function"}});
  EXPECT_EQ(result.structured["ok"], false);
  EXPECT_EQ(check(result, "inference")["status"], "fail");
  EXPECT_FALSE(check(result, "inference")["remedy"].get<std::string>().empty());
  expect_schema(result);
}

TEST_F(OneStepOnTheSimulatedHost, AScriptIsNotRunAndThatIsSaid) {
  auto result = precheck({{"script", "infer.py"}});
  EXPECT_EQ(result.structured["ok"], true) << result.text;
  EXPECT_EQ(result.structured["inference"]["ran"], false);
  EXPECT_EQ(check(result, "inference")["status"], "unknown");
  expect_schema(result);
}

}  // namespace
}  // namespace npuprof::precheck
