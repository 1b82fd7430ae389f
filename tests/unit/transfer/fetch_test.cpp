#include "transfer/fetch.hpp"

#include <sys/stat.h>

#include <cstdlib>

#include "core/error_codes.hpp"
#include "transfer/unpack.hpp"
#include "unit/transfer/fetch_fixture.hpp"

namespace npuprof::transfer {
namespace {

class Fetch : public FetchFixture {};

TEST_F(Fetch, brings_every_file_home_byte_for_byte_with_an_archive) {
  put_profile();
  const auto artifact = fetch();
  expect_whole(artifact);
  EXPECT_EQ(artifact->archive_path, scratch / "home/profile_l1.tar.gz");
  EXPECT_EQ(artifact->archive_sha256, sha256_of_file(artifact->archive_path).value());
  EXPECT_EQ(artifact->archive_bytes, std::filesystem::file_size(artifact->archive_path));
  EXPECT_GT(artifact->wire_bytes, 0U);
  EXPECT_FALSE(artifact->codec_reason.empty());
  const auto unpacked = unpack(artifact->archive_path, scratch / "unpacked");
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  EXPECT_EQ(unpacked->files.size(), files.size());
}

TEST_F(Fetch, keeps_the_hosts_times) {
  put("a.csv", "x");
  const auto time = std::filesystem::file_time_type::clock::now() - std::chrono::hours(30);
  std::filesystem::last_write_time(scratch / "remote/a.csv", time);
  const auto artifact = fetch();
  expect_whole(artifact);
  EXPECT_EQ(std::filesystem::last_write_time(scratch / "home/profile_l1/a.csv"), time);
}

TEST_F(Fetch, every_codec_brings_the_same) {
  put_profile();
  std::string sum;
  for (const std::string codec : {"none", "gzip", "zstd"}) {
    auto asked = request();
    asked.settings.codec = codec;
    const auto artifact = fetch(asked);
    expect_whole(artifact);
    EXPECT_EQ(artifact->codec, codec);
    if (sum.empty()) sum = artifact->archive_sha256;
    EXPECT_EQ(artifact->archive_sha256, sum);
    std::filesystem::remove_all(scratch / "home");
  }
}

TEST_F(Fetch, a_second_call_fetches_nothing) {
  put_profile();
  const auto first = fetch();
  expect_whole(first);
  const auto again = fetch();
  expect_whole(again);
  EXPECT_EQ(again->wire_bytes, 0U);
  EXPECT_EQ(again->reused_bytes, first->bytes);
  EXPECT_EQ(again->archive_sha256, first->archive_sha256);
}

TEST_F(Fetch, only_what_changed_is_fetched_again) {
  put_profile();
  expect_whole(fetch());
  put("w_ascend_pt/profiler_info_0.json", "{\"new\":1}");
  const auto again = fetch();
  expect_whole(again);
  EXPECT_EQ(again->fetched_bytes, 9U);
}

TEST_F(Fetch, what_the_host_no_longer_has_is_not_mixed_with_what_it_has) {
  put("old/a.csv", "1");
  put("b.csv", "2");
  expect_whole(fetch());
  std::filesystem::remove_all(scratch / "remote/old");
  files.erase("old/a.csv");
  put("new/a.csv", "3");
  const auto artifact = fetch();
  ASSERT_TRUE(artifact) << artifact.error().message;
  EXPECT_EQ(artifact->files.size(), 2U);
  ASSERT_EQ(artifact->left_out.size(), 1U);
  EXPECT_EQ(artifact->left_out[0].path, "old/a.csv");
  EXPECT_FALSE(std::filesystem::exists(scratch / "home/profile_l1/old/a.csv"));
  EXPECT_EQ(scratch.read("home/profile_l1.gone/old/a.csv"), "1");
  EXPECT_TRUE(fetch()->left_out.empty());
}

TEST_F(Fetch, what_was_altered_at_home_is_fetched_again) {
  put("a.csv", "right");
  put("b.csv", "other");
  expect_whole(fetch());
  std::filesystem::permissions(scratch / "home/profile_l1/a.csv", std::filesystem::perms(0644));
  scratch.write("home/profile_l1/a.csv", "wrong");
  const auto again = fetch();
  expect_whole(again);
  EXPECT_EQ(again->fetched_bytes, 5U);
}

TEST_F(Fetch, essential_files_come_first_and_are_told) {
  put_profile();
  auto asked = request();
  std::vector<std::string> order;
  std::size_t at_told = 0;
  asked.file_ready = [&](const ArtifactFile& file) { order.push_back(file.path); };
  asked.essential_ready = [&] { at_told = order.size(); };
  expect_whole(fetch(asked));
  EXPECT_EQ(order.size(), files.size());
  EXPECT_GE(at_told, 3U);
  for (std::size_t i = at_told; i < order.size(); ++i) EXPECT_FALSE(is_essential(order[i]));
}

TEST_F(Fetch, a_selection_brings_what_it_names_and_a_wider_one_the_rest) {
  put_profile();
  auto asked = request();
  asked.selection = Selection::essential();
  const auto essential = fetch(asked);
  ASSERT_TRUE(essential) << essential.error().message;
  EXPECT_EQ(essential->files.size(), 3U);
  const auto all = fetch();
  expect_whole(all);
  EXPECT_EQ(all->reused_bytes, essential->bytes);
}

TEST_F(Fetch, only_the_archive_where_only_that_is_wanted) {
  put_profile();
  auto asked = request();
  asked.unpack = false;
  const auto artifact = fetch(asked);
  ASSERT_TRUE(artifact) << artifact.error().message;
  EXPECT_EQ(scratch.names("home"),
            (std::vector<std::string>{"profile_l1.tar.gz", "transfer.jsonl"}));
  const auto again = fetch(asked);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->wire_bytes, 0U);
  EXPECT_EQ(again->archive_sha256, artifact->archive_sha256);
  EXPECT_EQ(again->files.size(), files.size());
}

TEST_F(Fetch, odd_names_come_home_as_they_are) {
  put("new\nline.csv", "1");
  put("quote'\".csv", "2");
  put("-rf", "3");
  put("back slash is refused elsewhere", "4");
  put("\xff\xfe invalid", "5");
  put("\xE4\xB8\xAD\xE6\x96\x87.json", "6");
  put(std::string(255, 'n'), "7");
  put("dir with space/$(touch evil)`x`", "8");
  put("*", "9");
  expect_whole(fetch());
  EXPECT_FALSE(std::filesystem::exists(scratch / "remote/evil"));
  EXPECT_EQ(fetch()->wire_bytes, 0U);
}

TEST_F(Fetch, a_name_that_looks_like_a_path_is_refused_and_the_rest_fetched) {
  put("good.csv", "1");
  scratch.write(
      "remote/a\xE2\x88\x95"
      "b",
      "2");
  const auto artifact = fetch();
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::archive_unsafe);
  expect_at_home("good.csv");
  expect_nothing_half_written();
}

TEST_F(Fetch, links_and_fifos_are_named_and_never_followed) {
  put("a.csv", "1");
  scratch.write("outside", "secret");
  std::filesystem::create_symlink(scratch / "outside", scratch / "remote/link");
  ASSERT_EQ(::mkfifo((scratch / "remote/fifo").c_str(), 0600), 0);
  const auto artifact = fetch();
  expect_whole(artifact);
  ASSERT_EQ(artifact->left_out.size(), 2U);
  EXPECT_EQ(artifact->left_out[0].path, "fifo");
  EXPECT_EQ(artifact->left_out[1].path, "link");
}

TEST_F(Fetch, hard_links_and_sparse_files_come_as_files) {
  put("a", noise(5'000));
  std::filesystem::create_hard_link(scratch / "remote/a", scratch / "remote/b");
  files["b"] = files["a"];
  put("sparse", "x");
  std::filesystem::resize_file(scratch / "remote/sparse", 5'000'000);
  files["sparse"].resize(5'000'000, '\0');
  expect_whole(fetch());
}

TEST_F(Fetch, a_missing_directory_leaves_nothing_at_home) {
  const auto artifact = fetch();
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::not_found);
  EXPECT_TRUE(scratch.names("home").empty());
}

TEST_F(Fetch, an_empty_directory_is_no_output) {
  std::filesystem::create_directories(scratch / "remote/w_ascend_pt");
  EXPECT_EQ(fetch().error().code, codes::no_output);
  put("a.csv", "1");
  auto asked = request();
  asked.selection = Selection::globs({"*.json"}).value();
  EXPECT_EQ(fetch(asked).error().code, codes::no_output);
  EXPECT_TRUE(scratch.names("home").empty());
}

TEST_F(Fetch, another_origins_files_are_left_alone_unless_told) {
  put("a.csv", "1");
  scratch.write("home/profile_l1/mine.csv", "mine");
  const auto artifact = fetch();
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::already_exists);
  EXPECT_EQ(scratch.read("home/profile_l1/mine.csv"), "mine");
  auto asked = request();
  asked.overwrite = true;
  expect_whole(fetch(asked));
  EXPECT_FALSE(std::filesystem::exists(scratch / "home/profile_l1/mine.csv"));
}

TEST_F(Fetch, too_much_is_refused_before_the_first_byte) {
  put_profile();
  auto asked = request();
  asked.settings.max_artifact_bytes = 1'000'000;
  EXPECT_EQ(fetch(asked).error().code, codes::too_large);
  asked = request();
  asked.tuning.free_bytes = 1'000'000;
  EXPECT_EQ(fetch(asked).error().code, codes::no_space);
  EXPECT_EQ(host.streamed_bytes, 0U);
  EXPECT_TRUE(scratch.names("home").empty());
}

TEST_F(Fetch, a_limit_holds) {
  put("a", noise(1'000'000));
  auto asked = request();
  asked.settings.codec = "none";
  asked.settings.limit_mbps = 16;  // 2 MB/s
  const auto begin = std::chrono::steady_clock::now();
  expect_whole(fetch(asked));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(480));
}

TEST_F(Fetch, progress_never_goes_back_and_ends_at_the_whole) {
  put_profile(20'000'000);
  std::vector<TransferProgress> reports;
  auto asked = request();
  asked.settings.codec = "none";
  asked.settings.limit_mbps = 160;
  asked.archive = false;
  const auto artifact = transfer::fetch(
      host, asked, [&](const TransferProgress& progress) { reports.push_back(progress); }, {});
  expect_whole(artifact);
  ASSERT_GE(reports.size(), 3U);
  for (std::size_t i = 1; i < reports.size(); ++i) {
    EXPECT_GE(reports[i].bytes_done, reports[i - 1].bytes_done);
  }
  EXPECT_EQ(reports.back().bytes_done, artifact->bytes);
  EXPECT_EQ(reports.back().files_done, files.size());
  EXPECT_NE(to_progress(reports.back()).message.find("of 34 files"), std::string::npos)
      << to_progress(reports.back()).message;
}

}  // namespace
}  // namespace npuprof::transfer
