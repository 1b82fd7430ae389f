#include "config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/error_codes.hpp"
#include "fakes/scratch_directory.hpp"

namespace npuprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HOME", "/home/tester", 1);
    for (const char* const name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "NPUPROF_CONFIG"}) {
      ::unsetenv(name);
    }
  }

  static Config parsed(std::string_view toml) {
    auto config = parse_config(toml, "c.toml");
    if (!config) ADD_FAILURE() << config.error().message;
    return config.value_or(Config{});
  }

  static std::string refused(std::string_view toml) {
    auto config = parse_config(toml, "c.toml");
    if (config) {
      ADD_FAILURE() << "not refused";
      return {};
    }
    EXPECT_EQ(config.error().code, codes::config_invalid);
    EXPECT_FALSE(config.error().remedy.empty());
    return config.error().message;
  }
};

TEST_F(ConfigTest, EveryKeyArrives) {
  const Config config = parsed(R"(
default_target = "a2"
[targets.a2]
kind = "ssh"
host = "npu-a2"
user = "dev"
port = 2222
identity_file = "~/.ssh/id_ed25519"
certificate_file = "~/.ssh/id_ed25519-cert.pub"
passphrase_command = ["pass", "key"]
identity_agent = "~/agent.sock"
password_env = "NPU_PASSWORD"
known_hosts = "~/.ssh/known_hosts"
ssh_config = "/etc/npu/ssh_config"
connect_timeout_s = 2.5
keepalive_s = 30
container = "mindie"
container_engine = "podman"
container_sudo = true
container_user = "ascend"
workspace = "/home/dev/MindIE-SD"
set_env = ["/usr/local/Ascend/cann/set_env.sh"]
path_prepend = ["/opt/bin"]
python = "/opt/conda/bin/python"
lease_dir = "/var/lock/npu"
allow_env = ["HCCL_*"]
[server]
data_dir = "~/npuprof"
output_roots = ["~/out", "/srv/profiles/"]
[server.http]
listen = "0.0.0.0:9000"
token_file = "/run/token"
allowed_hosts = ["npu.example"]
allowed_origins = ["https://ide.example"]
[transfer]
codec = "zstd"
limit_mbps = 200
max_artifact_bytes = 1000000
)");
  const Target& target = config.targets.at("a2");
  EXPECT_EQ(target.name, "a2");
  EXPECT_EQ(target.kind, TargetKind::ssh);
  EXPECT_EQ(target.host, "npu-a2");
  EXPECT_EQ(target.user, "dev");
  EXPECT_EQ(target.port, 2222);
  EXPECT_EQ(target.identity_file, "/home/tester/.ssh/id_ed25519");
  EXPECT_EQ(target.certificate_file, "/home/tester/.ssh/id_ed25519-cert.pub");
  EXPECT_THAT(target.passphrase_command, ElementsAre("pass", "key"));
  EXPECT_EQ(target.identity_agent, "/home/tester/agent.sock");
  EXPECT_EQ(target.password_env, "NPU_PASSWORD");
  EXPECT_EQ(target.known_hosts, "/home/tester/.ssh/known_hosts");
  EXPECT_EQ(target.ssh_config, "/etc/npu/ssh_config");
  EXPECT_EQ(target.connect_timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(target.keepalive, std::chrono::seconds(30));
  EXPECT_EQ(target.container, "mindie");
  EXPECT_EQ(target.container_engine, ContainerEngine::podman);
  EXPECT_TRUE(target.container_sudo);
  EXPECT_EQ(target.container_user, "ascend");
  EXPECT_EQ(target.workspace, "/home/dev/MindIE-SD");
  EXPECT_THAT(target.set_env, ElementsAre("/usr/local/Ascend/cann/set_env.sh"));
  EXPECT_THAT(target.path_prepend, ElementsAre("/opt/bin"));
  EXPECT_EQ(target.python, "/opt/conda/bin/python");
  EXPECT_EQ(target.lease_dir, "/var/lock/npu");
  EXPECT_THAT(target.allow_env, ElementsAre("HCCL_*"));
  EXPECT_EQ(config.default_target, "a2");
  EXPECT_EQ(config.data_dir, "/home/tester/npuprof");
  EXPECT_THAT(config.output_roots, ElementsAre("/home/tester/out", "/srv/profiles/"));
  EXPECT_EQ(config.http.listen, "0.0.0.0:9000");
  EXPECT_EQ(config.http.token_file, "/run/token");
  EXPECT_THAT(config.http.allowed_hosts, ElementsAre("npu.example"));
  EXPECT_THAT(config.http.allowed_origins, ElementsAre("https://ide.example"));
  EXPECT_EQ(config.transfer.codec, "zstd");
  EXPECT_EQ(config.transfer.limit_mbps, 200);
  EXPECT_EQ(config.transfer.max_artifact_bytes, 1000000U);
}

TEST_F(ConfigTest, DefaultsAreThoseOfTheDocumentation) {
  const Config config = parsed("[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\n");
  const Target& target = config.targets.at("a");
  EXPECT_EQ(target.kind, TargetKind::ssh);
  EXPECT_EQ(target.port, 0);
  EXPECT_EQ(target.python, "python3");
  EXPECT_EQ(target.lease_dir, "/var/tmp/npuprof-leases");
  EXPECT_TRUE(target.allow_env.empty());
  EXPECT_EQ(config.data_dir, "/home/tester/.local/share/npuprof");
  EXPECT_EQ(config.http.listen, "127.0.0.1:8765");
  EXPECT_EQ(config.http.token_file, "/home/tester/.local/share/npuprof/http_token");
  EXPECT_EQ(config.transfer.codec, "auto");
}

TEST_F(ConfigTest, AnEmptyFileConfiguresNothing) {
  EXPECT_TRUE(parsed("").targets.empty());
  EXPECT_EQ(find_target(parsed(""), "").error().code, codes::target_unknown);
}

TEST_F(ConfigTest, TheTokenFollowsTheDataDirectory) {
  EXPECT_EQ(parsed("[server]\ndata_dir = \"/d\"\n").http.token_file, "/d/http_token");
  EXPECT_EQ(
      parsed("[server]\ndata_dir = \"/d\"\n[server.http]\ntoken_file = \"\"\n").http.token_file,
      "/d/http_token");
}

TEST_F(ConfigTest, BrokenTomlIsReportedWithItsLine) {
  EXPECT_THAT(refused("a = 1\nb = \n"), HasSubstr("c.toml:2:"));
  EXPECT_THAT(refused("[targets.a\n"), HasSubstr("c.toml:1:"));
}

TEST_F(ConfigTest, AnUnknownKeyIsReportedWithItsNameAndLine) {
  const auto message = refused("[targets.a]\nworkspace = \"/w\"\nhost = \"h\"\nprot = 22\n");
  EXPECT_THAT(message, HasSubstr("c.toml:4: targets.a.prot: unknown key; is port meant?"));
  EXPECT_THAT(refused("\n[sevrer]\n"),
              HasSubstr("c.toml:2: sevrer: unknown key; is server meant?"));
}

TEST_F(ConfigTest, ASecretInTheFileIsRefusedWithoutRepeatingIt) {
  const auto message =
      refused("[targets.a]\nworkspace = \"/w\"\nhost = \"h\"\npassword = \"hunter2\"\n");
  EXPECT_THAT(message, HasSubstr("c.toml:4: targets.a.password:"));
  EXPECT_THAT(message, HasSubstr("password_command"));
  EXPECT_THAT(message, Not(HasSubstr("hunter2")));
}

TEST_F(ConfigTest, AWrongTypeIsReportedWithItsLine) {
  EXPECT_THAT(refused("[targets.a]\nworkspace = \"/w\"\nhost = \"h\"\nport = \"22\"\n"),
              HasSubstr("c.toml:4: targets.a.port"));
  EXPECT_THAT(refused("[targets.a]\nworkspace = \"/w\"\nhost = \"h\"\nport = 70000\n"),
              HasSubstr("c.toml:4: targets.a.port"));
  EXPECT_THAT(
      refused("[targets.a]\nworkspace = \"/w\"\nhost = \"h\"\nset_env = [\n \"/a\",\n 3]\n"),
      HasSubstr("c.toml:6: targets.a.set_env[1]"));
  EXPECT_THAT(refused("targets = 3\n"), HasSubstr("c.toml:1: targets"));
  EXPECT_THAT(refused("default_target = 2026-01-01\n"), Not(HasSubstr("default_target: unknown")));
}

TEST_F(ConfigTest, AMissingKeyIsReportedWithTheLineOfItsTable) {
  EXPECT_THAT(refused("\n[targets.a]\nhost = \"h\"\n"), HasSubstr("c.toml:2: targets.a"));
  EXPECT_THAT(refused("\n[targets.a]\nworkspace = \"/w\"\n"), HasSubstr("host is missing"));
}

TEST_F(ConfigTest, EveryErrorIsReportedAtOnce) {
  const auto message = refused(
      "nonsense = 1\n[targets.a]\nworkspace = \"/w\"\nhost = \"h\"\nport = 0\nkind = \"telnet\"\n");
  EXPECT_THAT(message, HasSubstr("c.toml:1:"));
  EXPECT_THAT(message, HasSubstr("c.toml:5:"));
  EXPECT_THAT(message, HasSubstr("c.toml:6:"));
}

TEST_F(ConfigTest, KeysThatDoNotFitTogetherAreRefused) {
  EXPECT_THAT(refused("[targets.a]\nkind = \"local\"\nworkspace = \"/w\"\nhost = \"h\"\n"),
              HasSubstr("c.toml:4: targets.a.host"));
  EXPECT_THAT(refused("[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\ncontainer_user = \"u\"\n"),
              HasSubstr("without container"));
  EXPECT_THAT(refused("[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\npassword_env = \"P\"\n"
                      "password_command = [\"p\"]\n"),
              HasSubstr("c.toml:5:"));
  EXPECT_THAT(refused("[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\ncertificate_file = \"/c\"\n"),
              HasSubstr("without identity_file"));
}

TEST_F(ConfigTest, WhatCouldBeTakenForAnOptionIsRefused) {
  EXPECT_THAT(refused("[targets.a]\nhost = \"-oProxyCommand=id\"\nworkspace = \"/w\"\n"),
              HasSubstr("targets.a.host"));
  EXPECT_THAT(
      refused("[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\ncontainer = \"--privileged\"\n"),
      HasSubstr("targets.a.container"));
}

TEST_F(ConfigTest, ATargetsNameMustFitIntoARunId) {
  EXPECT_THAT(refused("[targets.\"a b\"]\nhost = \"h\"\nworkspace = \"/w\"\n"),
              HasSubstr("letters, digits"));
}

TEST_F(ConfigTest, PathsMustBeAbsolute) {
  EXPECT_THAT(refused("[targets.a]\nhost = \"h\"\nworkspace = \"~/w\"\n"),
              HasSubstr("targets.a.workspace"));
  EXPECT_THAT(refused("[server]\ndata_dir = \"data\"\n"), HasSubstr("server.data_dir"));
  EXPECT_EQ(
      parsed("[targets.a]\nkind = \"local\"\nworkspace = \"~/w\"\n").targets.at("a").workspace,
      "/home/tester/w");
}

TEST_F(ConfigTest, ADefaultTargetMustExist) {
  EXPECT_THAT(refused("default_target = \"b\"\n[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\n"),
              HasSubstr("c.toml:1: default_target"));
}

TEST_F(ConfigTest, TheTargetOfACallIsTheNamedTheDefaultOrTheOnlyOne) {
  const std::string two =
      "[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\n"
      "[targets.b]\nhost = \"h\"\nworkspace = \"/w\"\n";
  const Config plain = parsed(two);
  EXPECT_EQ(find_target(plain, "b").value()->name, "b");
  const auto none = find_target(plain, "");
  EXPECT_EQ(none.error().code, codes::target_ambiguous);
  EXPECT_THAT(none.error().message, HasSubstr("a, b"));
  const auto wrong = find_target(plain, "c");
  EXPECT_EQ(wrong.error().code, codes::target_unknown);
  EXPECT_THAT(wrong.error().message, HasSubstr("a, b"));
  const Config with_default = parsed("default_target = \"b\"\n" + two);
  EXPECT_EQ(find_target(with_default, "").value()->name, "b");
  const Config only = parsed("[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\n");
  EXPECT_EQ(find_target(only, "").value()->name, "a");
}

TEST_F(ConfigTest, TheFileIsTheNamedOneTheVariablesOrTheUsersOwn) {
  EXPECT_EQ(config_path(std::nullopt), "/home/tester/.config/npuprof/config.toml");
  ::setenv("XDG_CONFIG_HOME", "/xdg", 1);
  EXPECT_EQ(config_path(std::nullopt), "/xdg/npuprof/config.toml");
  ::setenv("NPUPROF_CONFIG", "/env.toml", 1);
  EXPECT_EQ(config_path(std::nullopt), "/env.toml");
  EXPECT_EQ(config_path("/named.toml"), "/named.toml");
}

TEST_F(ConfigTest, AMissingFileIsAnErrorOnlyWhereItWasNamed) {
  const fakes::ScratchDirectory scratch;
  EXPECT_TRUE(load_config(scratch / "none.toml", false));
  const auto named = load_config(scratch / "none.toml", true);
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, codes::config_invalid);
  std::ofstream(scratch / "c.toml") << "[targets.a]\nhost = \"h\"\nworkspace = \"/w\"\n";
  EXPECT_EQ(load_config(scratch / "c.toml", true)->targets.size(), 1U);
  EXPECT_FALSE(load_config(scratch.path(), false));
}

}  // namespace
}  // namespace npuprof
