#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "core/error_codes.hpp"
#include "unit/transfer/fetch_fixture.hpp"

namespace npuprof::transfer {
namespace {

class FetchTrouble : public FetchFixture {
 protected:
  // The error names the file, and what was whole is at home.
  void expect_names(const Result<Artifact>& artifact, const char* code, const std::string& name) {
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().code, code) << artifact.error().message;
    EXPECT_NE(artifact.error().message.find(name), std::string::npos) << artifact.error().message;
    expect_nothing_half_written();
  }
};

TEST_F(FetchTrouble, a_file_that_grows_for_ever_is_named_and_the_rest_kept) {
  put("a.csv", noise(100'000));
  put("growing.log", "x");
  std::atomic<bool> end = false;
  std::thread writer([&] {
    std::ofstream out(scratch / "remote/growing.log", std::ios::app);
    while (!end) {
      out << "more\n" << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto artifact = fetch();
  end = true;
  writer.join();
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::remote_changed);
  EXPECT_NE(artifact.error().message.find("growing.log"), std::string::npos);
  EXPECT_TRUE(artifact.error().retryable);
  expect_at_home("a.csv");
  EXPECT_FALSE(std::filesystem::exists(scratch / "home/profile_l1.partial"));
  files["growing.log"] = scratch.read("remote/growing.log");
  expect_whole(fetch());
}

TEST_F(FetchTrouble, a_file_that_changes_once_is_taken_again) {
  put_profile();
  host.before = [&, done = false](Command&, bool is_stream) mutable {
    if (!is_stream || std::exchange(done, true)) return;
    put("w_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", noise(120'000, 77));
  };
  expect_whole(fetch());
}

TEST_F(FetchTrouble, a_file_that_changes_without_changing_size_is_taken_again) {
  put_profile();
  host.before = [&, done = false](Command&, bool is_stream) mutable {
    if (!is_stream || std::exchange(done, true)) return;
    put("w_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", noise(100'000, 78));
  };
  expect_whole(fetch());
}

TEST_F(FetchTrouble, a_file_that_vanishes_is_named) {
  put("a.csv", "1");
  put("b.csv", "2");
  host.before = [&](Command&, bool is_stream) {
    if (is_stream) std::filesystem::remove(scratch / "remote/b.csv");
  };
  expect_names(fetch(), codes::remote_changed, "b.csv");
  expect_at_home("a.csv");
}

TEST_F(FetchTrouble, a_directory_that_vanishes_midway_is_named) {
  put("a.csv", "1");
  host.before = [&](Command&, bool is_stream) {
    if (is_stream) std::filesystem::remove_all(scratch / "remote");
  };
  expect_names(fetch(), codes::remote_changed, "a.csv");
}

TEST_F(FetchTrouble, a_truncated_file_is_never_patched_over) {
  put("a.csv", noise(50'000));
  host.before = [&, done = false](Command&, bool is_stream) mutable {
    if (!is_stream || std::exchange(done, true)) return;
    put("a.csv", noise(20'000));
  };
  expect_whole(fetch());
}

TEST_F(FetchTrouble, an_altered_stream_is_noticed_and_taken_again) {
  put("a.csv", noise(200'000));
  auto asked = request();
  asked.settings.codec = "none";
  host.streamed = [&, done = false](std::string& bytes) mutable -> std::optional<Error> {
    const auto at = bytes.find(",x", 2048);
    const auto somewhere = at == std::string::npos ? bytes.size() / 2 : at;
    if (bytes.size() > 4096 && !std::exchange(done, true)) bytes[somewhere] ^= 1;
    return std::nullopt;
  };
  const auto artifact = fetch(asked);
  expect_whole(artifact);
  EXPECT_GT(artifact->fetched_bytes, artifact->bytes);
}

TEST_F(FetchTrouble, a_stream_that_is_always_altered_is_a_checksum_mismatch) {
  put("a.csv", noise(200'000));
  auto asked = request();
  asked.settings.codec = "none";
  host.streamed = [&](std::string& bytes) -> std::optional<Error> {
    if (bytes.size() > 4096) bytes[bytes.size() / 2] ^= 1;
    return std::nullopt;
  };
  expect_names(fetch(asked), codes::checksum_mismatch, "a.csv");
}

TEST_F(FetchTrouble, a_stream_cut_anywhere_is_noticed) {
  put("a.csv", noise(20'000));
  put("b.csv", noise(20'000, 5));
  auto asked = request();
  for (const std::string codec : {"none", "gzip", "zstd"}) {
    asked.settings.codec = codec;
    asked.archive = false;
    for (std::size_t keep = 0; keep < 40'000; keep += 7'000) {
      std::filesystem::remove_all(scratch / "home");
      std::filesystem::create_directories(scratch / "home");
      // The first stream ends early, as if the host's programs had died; the second is whole.
      host.streamed = [&, left = keep, first = true,
                       last = std::string()](std::string& bytes) mutable -> std::optional<Error> {
        if (!first) return std::nullopt;
        const auto take = std::min(left, bytes.size());
        if (take < bytes.size()) first = false;
        bytes.resize(take);
        left -= take;
        return std::nullopt;
      };
      expect_whole(fetch(asked));
    }
  }
}

TEST_F(FetchTrouble, an_unreadable_file_is_named_and_the_rest_kept) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to log in as somebody else";
  put("a.csv", "1");
  put("secret.csv", "2");
  std::filesystem::permissions(scratch.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(scratch / "remote/secret.csv", std::filesystem::perms(0600));
  host.before = [](Command& command, bool) {
    command.argv.insert(command.argv.begin(),
                        {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  };
  expect_names(fetch(), codes::permission_denied, "secret.csv");
  expect_at_home("a.csv");
}

TEST_F(FetchTrouble, a_full_disk_at_home_leaves_nothing_half_written) {
  put("a.csv", "1");
  put("big", noise(12'000'000));
  std::filesystem::create_directories(scratch / "home");
  if (::mount("tmpfs", (scratch / "home").c_str(), "tmpfs", 0, "size=6m") != 0) {
    GTEST_SKIP() << "needs the right to mount a small file system";
  }
  auto asked = request();
  asked.tuning.free_bytes = 1 << 30;
  const auto artifact = fetch(asked);
  const auto names = scratch.names("home");
  const bool small_one_is_there = std::filesystem::exists(scratch / "home/profile_l1/a.csv");
  const bool half_written = std::filesystem::exists(scratch / "home/profile_l1/big");
  ::umount2((scratch / "home").c_str(), MNT_DETACH);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::no_space) << artifact.error().message;
  EXPECT_NE(artifact.error().message.find("big"), std::string::npos) << artifact.error().message;
  EXPECT_EQ(std::count(names.begin(), names.end(), "profile_l1.partial"), 0);
  EXPECT_TRUE(small_one_is_there);
  EXPECT_FALSE(half_written);
}

TEST_F(FetchTrouble, cancelling_ends_the_far_end_and_keeps_what_is_verified) {
  put("a.csv", "1");
  put("PROF_1/big", noise(6'000'000));
  auto asked = request();
  asked.settings.codec = "none";
  asked.settings.limit_mbps = 8;
  std::stop_source source;
  asked.file_ready = [&](const ArtifactFile&) { source.request_stop(); };
  const auto begin = std::chrono::steady_clock::now();
  const auto artifact = fetch(asked, source.get_token());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::cancelled);
  expect_at_home("a.csv");
  expect_nothing_half_written();
}

TEST_F(FetchTrouble, many_small_files_come_home) {
  for (int i = 0; i < 1'000; ++i) {
    put("PROF_1/d" + std::to_string(i % 7) + "/f" + std::to_string(i), std::to_string(i));
  }
  auto asked = request();
  asked.archive = false;
  expect_whole(fetch(asked));
}

}  // namespace
}  // namespace npuprof::transfer
