#include "cli/doctor_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fakes/scratch_directory.hpp"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Doctor : public testing::Test {
 protected:
  Doctor() {
    Target target;
    target.name = "a2";
    target.kind = TargetKind::ssh;
    target.identity_file = write("key", fs::perms::owner_read);
    target.known_hosts = write("known_hosts", fs::perms::owner_read);
    config_.file = scratch_.path() / "config.toml";
    config_.data_dir = scratch_.path() / "data" / "not" / "yet";
    config_.targets.emplace("a2", target);
  }

  fs::path write(const char* name, fs::perms mode) {
    const fs::path file = scratch_.path() / name;
    std::ofstream(file) << "text";
    fs::permissions(file, mode);
    return file;
  }

  Target& target() { return config_.targets.at("a2"); }

  Check check(const std::string& id) const {
    for (const Check& found : check_this_machine(config_)) {
      if (found.id == id) return found;
    }
    return {.id = "none of that name", .message = ""};
  }

  fakes::ScratchDirectory scratch_;
  Config config_;
};

TEST_F(Doctor, finds_nothing_wrong_where_all_is_there) {
  for (const Check& found : check_this_machine(config_)) {
    EXPECT_NE(found.status, CheckStatus::fail) << found.id << ": " << found.message;
  }
  EXPECT_EQ(check("targets.a2.identity_file").status, CheckStatus::pass);
  EXPECT_EQ(check("configuration").status, CheckStatus::pass);
}

TEST_F(Doctor, a_key_that_others_can_read_is_a_warning_with_the_command_that_mends_it) {
  target().identity_file = write("open_key", fs::perms::owner_read | fs::perms::others_read);
  const Check found = check("targets.a2.identity_file");
  EXPECT_EQ(found.status, CheckStatus::warn);
  EXPECT_THAT(found.remedy, HasSubstr("chmod 600"));
}

TEST_F(Doctor, a_key_or_host_keys_that_are_not_there_fail) {
  target().identity_file = scratch_.path() / "lost";
  target().known_hosts = scratch_.path() / "lost_hosts";
  EXPECT_EQ(check("targets.a2.identity_file").status, CheckStatus::fail);
  EXPECT_THAT(check("targets.a2.identity_file").message, HasSubstr("lost"));
  EXPECT_EQ(check("targets.a2.known_hosts").status, CheckStatus::fail);
}

TEST_F(Doctor, a_password_variable_that_is_not_set_fails_by_its_name) {
  target().password_env = "NPUPROF_TEST_NO_SUCH_VARIABLE";
  const Check found = check("targets.a2.password_env");
  EXPECT_EQ(found.status, CheckStatus::fail);
  EXPECT_THAT(found.message, HasSubstr("NPUPROF_TEST_NO_SUCH_VARIABLE"));
}

TEST_F(Doctor, a_data_folder_below_a_file_fails) {
  config_.data_dir = write("file", fs::perms::owner_read) / "data";
  EXPECT_EQ(check("data_dir").status, CheckStatus::fail);
}

TEST_F(Doctor, no_target_at_all_says_how_to_begin) {
  config_.targets.clear();
  EXPECT_EQ(check("configuration").status, CheckStatus::warn);
  EXPECT_THAT(check("configuration").remedy, HasSubstr("[targets.NAME]"));
}

TEST_F(Doctor, leaves_the_machine_as_it_was) {
  check_this_machine(config_);
  EXPECT_FALSE(fs::exists(scratch_.path() / "data"));
}

class OneAnswer : public Tool {
 public:
  explicit OneAnswer(Json answer) : answer_(std::move(answer)) { spec_.name = "precheck"; }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult call(const Json& arguments, CallContext&) override {
    asked = arguments;
    return {.structured = answer_, .text = ""};
  }
  Json asked;

 private:
  ToolSpec spec_;
  Json answer_;
};

TEST_F(Doctor, says_of_a_target_what_precheck_says) {
  OneAnswer precheck(Json{{"ok", false},
                          {"error",
                           {{"code", "HOST_UNREACHABLE"},
                            {"message", "port 22 of npu-a2 is closed"},
                            {"remedy", "ask for the port"}}}});
  std::ostringstream out;
  EXPECT_EQ(doctor_command(config_, {&precheck}, false, out, {}), failure);
  EXPECT_EQ(precheck.asked, Json({{"target", "a2"}}));
  for (const char* words :
       {"a2", "HOST_UNREACHABLE", "port 22 of npu-a2 is closed", "ask for the port"}) {
    EXPECT_THAT(out.str(), HasSubstr(words));
  }
}

TEST_F(Doctor, is_ready_where_every_target_is) {
  OneAnswer precheck(Json{{"ok", true}});
  std::ostringstream out;
  EXPECT_EQ(doctor_command(config_, {&precheck}, true, out, {}), success);
  EXPECT_EQ(Json::parse(out.str()).at("ok"), true);
}

}  // namespace
}  // namespace npuprof::cli
