// Over a real OpenSSH server.
#include <dirent.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/error_codes.hpp"
#include "fakes/test_sshd.hpp"
#include "host/ssh_host.hpp"
#include "unit/transfer/fetch_fixture.hpp"

namespace npuprof::transfer {
namespace {

using namespace std::chrono_literals;

class FetchOverSsh : public FetchFixture {
 protected:
  void SetUp() override {
    if (const auto missing = fakes::TestSshd::missing(); !missing.empty()) GTEST_SKIP() << missing;
    sshd = fakes::TestSshd::start();
    ssh = std::make_unique<SshHost>(sshd->target());
  }

  Result<Artifact> fetch_over_ssh(const FetchRequest& asked, std::stop_token stop = {}) {
    return transfer::fetch(
        *ssh, asked, [](const TransferProgress&) {}, stop);
  }

  // Whether any process of this machine works in the remote directory.
  bool far_end_works() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::error_code gone;
      const auto cwd = std::filesystem::read_symlink(entry.path() / "cwd", gone);
      if (!gone && cwd == scratch / "remote") return true;
    }
    return false;
  }

  std::unique_ptr<fakes::TestSshd> sshd;
  std::unique_ptr<SshHost> ssh;
};

TEST_F(FetchOverSsh, brings_a_profile_home) {
  put_profile();
  put("new\nline \xff", "odd");
  for (const std::string codec : {"auto", "none", "zstd", "gzip"}) {
    auto asked = request();
    asked.settings.codec = codec;
    expect_whole(fetch_over_ssh(asked));
    std::filesystem::remove_all(scratch / "home");
  }
}

TEST_F(FetchOverSsh, brings_real_output_home_byte_for_byte) {
  const std::filesystem::path real =
      std::filesystem::path(NPUPROF_SHARED_DATA) / "cann/msinsight-text-level1-rank0_ascend_pt";
  if (!std::filesystem::exists(real)) GTEST_SKIP() << "no real CANN output at " << real;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(real)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(real)] = {std::istreambuf_iterator<char>(in), {}};
  }
  ASSERT_GE(files.size(), 10U);
  auto asked = request();
  asked.remote_dir = std::filesystem::canonical(real);
  expect_whole(fetch_over_ssh(asked));
}

TEST_F(FetchOverSsh, a_server_that_dies_midway_costs_only_what_was_missing) {
  put_profile(12'000'000);
  auto asked = request();
  asked.tuning.reconnects = 0;
  asked.tuning.resume_from = 1 << 20;
  asked.settings.codec = "none";
  asked.settings.limit_mbps = 80;
  asked.archive = false;
  std::jthread killer([&](const std::stop_token& end) {
    const auto partial = scratch / "home/profile_l1.partial";
    // Once some megabytes of the large file are there.
    while (!end.stop_requested()) {
      std::error_code ignored;
      for (std::filesystem::directory_iterator entry(partial, ignored), last; entry != last;
           entry.increment(ignored)) {
        if (entry->file_size(ignored) > 4'000'000 && !ignored) return sshd->stop();
      }
      std::this_thread::sleep_for(5ms);
    }
  });
  const auto broken = fetch_over_ssh(asked);
  killer.request_stop();
  killer.join();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, codes::connection_lost) << broken.error().message;
  sshd->restart();
  asked.settings.limit_mbps = 0;
  const auto artifact = fetch_over_ssh(asked);
  expect_whole(artifact);
  EXPECT_LT(artifact->wire_bytes, artifact->bytes - 2'000'000);
}

TEST_F(FetchOverSsh, cancelling_ends_the_far_end_within_a_second) {
  put("a.csv", "1");
  put("PROF_1/big", noise(8'000'000));
  auto asked = request();
  asked.settings.codec = "none";
  asked.settings.limit_mbps = 8;
  std::stop_source source;
  asked.file_ready = [&](const ArtifactFile&) { source.request_stop(); };
  const auto artifact = fetch_over_ssh(asked, source.get_token());
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::cancelled);
  while (far_end_works() && std::chrono::steady_clock::now() - begin < 5s) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  expect_at_home("a.csv");
  expect_nothing_half_written();
}

}  // namespace
}  // namespace npuprof::transfer
