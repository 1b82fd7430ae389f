#include "transfer/remote_cleanup.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error_codes.hpp"
#include "host/local_host.hpp"
#include "unit/transfer/scratch.hpp"

namespace npuprof::transfer {
namespace {

class RemoveRemote : public ::testing::Test {
 protected:
  RemoveRemote() {
    scratch.write("ws/.npuprof/runs/a2-run/profile_l1/x.csv", "1");
    scratch.write("ws/.npuprof/runs/other/job.json", "2");
    scratch.write("outside/precious", "3");
  }
  Result<void> remove(const std::string& id) {
    return remove_remote(host, (scratch / "ws").string(), id, {});
  }
  void expect_untouched() {
    EXPECT_EQ(scratch.read("outside/precious"), "3");
    EXPECT_EQ(scratch.read("ws/.npuprof/runs/other/job.json"), "2");
  }

  Scratch scratch;
  LocalHost host;
};

TEST_F(RemoveRemote, removes_the_runs_own_directory_and_nothing_else) {
  std::filesystem::create_directory_symlink(scratch / "outside",
                                            scratch / "ws/.npuprof/runs/a2-run/link");
  EXPECT_TRUE(remove("a2-run"));
  EXPECT_EQ(scratch.names("ws/.npuprof/runs"), std::vector<std::string>{"other"});
  expect_untouched();
}

TEST_F(RemoveRemote, what_is_gone_is_fine) {
  EXPECT_TRUE(remove("never-was"));
  expect_untouched();
}

TEST_F(RemoveRemote, refuses_what_is_no_run_id) {
  for (const std::string id :
       {"", ".", "..", "../other", "a/b", "/etc", "a2-run/..", "-rf", "*", "a b", "a\nb", "$(x)"}) {
    const auto removed = remove(id);
    ASSERT_FALSE(removed) << id;
    EXPECT_EQ(removed.error().code, codes::invalid_arguments);
  }
  EXPECT_TRUE(std::filesystem::exists(scratch / "ws/.npuprof/runs/a2-run"));
  expect_untouched();
}

TEST_F(RemoveRemote, never_through_a_link) {
  std::filesystem::create_directory_symlink(scratch / "outside",
                                            scratch / "ws/.npuprof/runs/linked");
  EXPECT_EQ(remove("linked").error().code, codes::permission_denied);
  std::filesystem::rename(scratch / "ws/.npuprof/runs", scratch / "elsewhere");
  std::filesystem::create_directory_symlink(scratch / "elsewhere", scratch / "ws/.npuprof/runs");
  EXPECT_EQ(remove("a2-run").error().code, codes::permission_denied);
  EXPECT_TRUE(std::filesystem::exists(scratch / "elsewhere/a2-run/profile_l1/x.csv"));
  EXPECT_EQ(scratch.read("outside/precious"), "3");
}

TEST_F(RemoveRemote, never_another_users) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a directory away";
  ASSERT_EQ(::chown((scratch / "ws/.npuprof/runs/a2-run").c_str(), 65534, 65534), 0);
  EXPECT_EQ(remove("a2-run").error().code, codes::permission_denied);
  EXPECT_TRUE(std::filesystem::exists(scratch / "ws/.npuprof/runs/a2-run/profile_l1/x.csv"));
}

}  // namespace
}  // namespace npuprof::transfer
