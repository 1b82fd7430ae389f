#include "run/prune.hpp"

#include <gtest/gtest.h>

#include "core/error_codes.hpp"
#include "run/run_id.hpp"

namespace npuprof::run {
namespace {

namespace fs = std::filesystem;

class PruneTest : public testing::Test {
 protected:
  PruneTest() {
    std::string name = (fs::temp_directory_path() / "npuprof-prune-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    runs_ = std::make_unique<Runs>(
        Config{}, real_clock(), *RunStore::open(directory_ / "data", real_clock()),
        [](const Target&) -> Result<std::shared_ptr<Host>> {
          return fail({.code = codes::host_unreachable, .message = "no host in this test"});
        },
        PrecheckStage());
  }
  ~PruneTest() override {
    runs_.reset();
    fs::remove_all(directory_);
  }

  // A run of the given day that has failed before it started: nothing of it is on a host.
  std::string make_run(int day, RunState state = RunState::failed, bool pinned = false) {
    Record record;
    record.run_id = make_run_id("a2", real_clock().system());
    record.target = "a2";
    EXPECT_TRUE(runs_->store().create(record));
    record.created_at = "2026-01-0" + std::to_string(day) + "T00:00:00.000Z";
    record.state = state;
    record.pinned = pinned;
    EXPECT_TRUE(runs_->store().save(record));
    return record.run_id;
  }

  fs::path directory_;
  std::unique_ptr<Runs> runs_;
};

TEST_F(PruneTest, without_a_limit_nothing_goes) {
  make_run(1);
  EXPECT_TRUE(prune(*runs_, {}, {}).empty());
}

TEST_F(PruneTest, the_oldest_go_first_and_a_dry_run_removes_nothing) {
  const auto first = make_run(1);
  const auto second = make_run(2);
  const auto third = make_run(3);
  const auto planned = prune(*runs_, {.most = 1, .dry_run = true}, {});
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0].run_id, first);
  EXPECT_EQ(planned[1].run_id, second);
  EXPECT_GT(planned[0].bytes, 0U);
  EXPECT_EQ(runs_->store().list().size(), 3U);
  EXPECT_EQ(prune(*runs_, {.most = 1}, {}).size(), 2U);
  ASSERT_EQ(runs_->store().list().size(), 1U);
  EXPECT_EQ(runs_->store().list()[0].run_id, third);
}

TEST_F(PruneTest, what_goes_on_is_pinned_or_not_verified_stays) {
  make_run(1, RunState::running);
  make_run(2, RunState::failed, true);
  make_run(3, RunState::captured);
  EXPECT_TRUE(prune(*runs_, {.oldest = std::chrono::seconds(1), .most = 0}, {}).empty());
}

TEST_F(PruneTest, what_somebody_works_on_stays) {
  const auto run_id = make_run(1);
  const auto lock = runs_->store().try_lock(run_id);
  ASSERT_TRUE(lock && *lock);
  const auto pruned = prune(*runs_, {.most = 0}, {});
  ASSERT_EQ(pruned.size(), 1U);
  EXPECT_FALSE(pruned[0].removed_here);
  EXPECT_FALSE(pruned[0].left.empty());
}

TEST_F(PruneTest, a_run_whose_host_does_not_answer_stays_on_both_ends) {
  auto record = *runs_->store().load(make_run(1));
  record.started = true;
  ASSERT_TRUE(runs_->store().save(record));
  const auto pruned = prune(*runs_, {.most = 0}, {});
  ASSERT_EQ(pruned.size(), 1U);
  EXPECT_FALSE(pruned[0].removed_there || pruned[0].removed_here);
  EXPECT_EQ(runs_->store().list().size(), 1U);
}

}  // namespace
}  // namespace npuprof::run
