#include "run/run_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "core/error_codes.hpp"
#include "core/schema.hpp"
#include "run/run_id.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::run {
namespace {

namespace fs = std::filesystem;

class RunStoreTest : public testing::Test {
 protected:
  RunStoreTest() {
    std::string name = (fs::temp_directory_path() / "npuprof-store-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    store_ = *RunStore::open(directory_ / "data", real_clock());
  }
  ~RunStoreTest() override { fs::remove_all(directory_); }

  Record new_run() {
    Record record;
    record.run_id = make_run_id("a2", real_clock().system());
    record.target = "a2";
    record.arguments = {{"script", "train.py"}};
    EXPECT_TRUE(store_->create(record));
    return record;
  }

  fs::path directory_;
  std::optional<RunStore> store_;
};

TEST(run_id, names_the_target_and_the_time_and_is_never_the_same) {
  const auto time = Clock::System::from_time_t(1772366400);
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(make_run_id("a2", time));
  EXPECT_EQ(ids.size(), 1000U);
  EXPECT_TRUE(ids.begin()->starts_with("a2-20260301-120000-")) << *ids.begin();
  EXPECT_EQ(ids.begin()->size(), std::string("a2-20260301-120000-").size() + 8);
  EXPECT_TRUE(is_run_id(*ids.begin()));
}

TEST(run_id, what_could_leave_its_directory_is_none) {
  for (const char* bad : {"", "..", "../../../etc/passwd", "a2/20260301-120000-abcdefgh",
                          ".a2-20260301-120000-abcdefgh", "-a2-20260301-120000-abcdefgh",
                          "a2 20260301-120000-abcdefgh"}) {
    EXPECT_FALSE(is_run_id(bad)) << bad;
  }
  EXPECT_TRUE(is_run_id(make_run_id("../x y", real_clock().system())));
}

TEST(run_state, goes_forward_only_and_ends_once) {
  EXPECT_TRUE(may_follow(RunState::queued, RunState::running));
  EXPECT_FALSE(may_follow(RunState::running, RunState::prechecking));
  EXPECT_FALSE(may_follow(RunState::captured, RunState::failed));
  EXPECT_TRUE(may_follow(RunState::lost, RunState::captured));
}

TEST_F(RunStoreTest, a_run_is_read_back_as_it_was_saved) {
  auto record = new_run();
  record.state = RunState::running;
  record.started = true;
  record.window = {{"step_ms", {1.5, 2.5}}};
  record.error = Error{.code = codes::device_busy, .message = "held"};
  ASSERT_TRUE(store_->save(record));
  const auto read = store_->load(record.run_id);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_document(*read), to_document(record));
  EXPECT_TRUE(Schema::of(schemas::load("run")).violations(to_document(record)).empty());
}

TEST_F(RunStoreTest, an_unknown_run_says_how_to_find_the_known_ones) {
  const auto read = store_->load("a2-20260301-120000-aaaaaaaa");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, codes::run_unknown);
  EXPECT_NE(read.error().remedy.find("fetch_artifact"), std::string::npos);
  EXPECT_EQ(store_->load("../../etc").error().code, codes::run_unknown);
}

TEST_F(RunStoreTest, an_edited_or_newer_record_is_an_error_and_no_crash) {
  const auto record = new_run();
  const auto file = store_->directory(record.run_id) / "run.json";
  for (const char* text : {"", "{", "[]", "{\"format\":1}", "{\"format\":\"x\",\"state\":7}"}) {
    std::ofstream(file, std::ios::trunc) << text;
    EXPECT_EQ(store_->load(record.run_id).error().code, codes::io_error) << text;
  }
  std::ofstream(file, std::ios::trunc) << R"({"format":2})";
  EXPECT_EQ(store_->load(record.run_id).error().code, codes::format_unknown);
  EXPECT_TRUE(store_->list().empty());
}

TEST_F(RunStoreTest, the_latest_run_is_listed_first) {
  auto first = new_run();
  auto second = new_run();
  first.created_at = "2026-01-01T00:00:00.000Z";
  second.created_at = "2026-02-01T00:00:00.000Z";
  ASSERT_TRUE(store_->save(first) && store_->save(second));
  const auto all = store_->list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].run_id, second.run_id);
}

TEST_F(RunStoreTest, one_lock_a_run_holds_off_every_other_worker) {
  const auto record = new_run();
  auto held = store_->try_lock(record.run_id);
  ASSERT_TRUE(held && *held);
  const auto other_store = RunStore::open(directory_ / "data", real_clock());
  auto refused = other_store->try_lock(record.run_id);
  ASSERT_TRUE(refused);
  EXPECT_FALSE(*refused);
  held->reset();
  auto taken = other_store->try_lock(record.run_id);
  EXPECT_TRUE(taken && *taken);
}

TEST_F(RunStoreTest, the_journal_of_a_run_begins_with_its_acceptance) {
  const auto record = new_run();
  const auto lines = store_->journal(record.run_id).read();
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 1U);
  EXPECT_EQ(lines->front()["state"], "accepted");
}

TEST_F(RunStoreTest, a_journal_line_that_a_crash_cut_off_loses_only_itself) {
  const auto record = new_run();
  auto journal = store_->journal(record.run_id);
  ASSERT_TRUE(journal.begin("precheck"));
  std::ofstream(store_->directory(record.run_id) / "journal.jsonl", std::ios::app)
      << R"({"format":1,"kind":"en)";
  EXPECT_EQ(journal.read()->size(), 2U);
  ASSERT_TRUE(journal.end("precheck", true, {{"checks", 12}}));
  const auto lines = *journal.read();
  EXPECT_TRUE(has_begun(lines, "precheck"));
  EXPECT_TRUE(has_ended_well(lines, "precheck"));
  EXPECT_FALSE(has_begun(lines, "launch"));
  const auto schema = Schema::of(schemas::load("journal"));
  for (const auto& line : lines) EXPECT_TRUE(schema.violations(line).empty()) << line.dump();
}

TEST_F(RunStoreTest, a_journal_of_a_newer_version_is_refused) {
  const auto record = new_run();
  std::ofstream(store_->directory(record.run_id) / "journal.jsonl", std::ios::app)
      << R"({"format":2,"kind":"teleport"})"
      << "\n";
  EXPECT_EQ(store_->journal(record.run_id).read().error().code, codes::format_unknown);
}

TEST_F(RunStoreTest, a_key_names_one_run_of_its_target) {
  const auto record = new_run();
  EXPECT_FALSE(store_->run_of_key("a2", "baseline"));
  ASSERT_TRUE(store_->bind_key("a2", "baseline", record.run_id));
  EXPECT_EQ(store_->run_of_key("a2", "baseline"), record.run_id);
  EXPECT_FALSE(store_->run_of_key("a3", "baseline"));
}

TEST_F(RunStoreTest, a_removed_run_leaves_nothing) {
  const auto record = new_run();
  ASSERT_TRUE(store_->remove(record.run_id));
  EXPECT_FALSE(fs::exists(store_->directory(record.run_id)));
}

}  // namespace
}  // namespace npuprof::run
