// Hosts without what a usual Linux has: busybox alone, or no packer.
#include "core/error_codes.hpp"
#include "unit/transfer/fetch_fixture.hpp"

namespace npuprof::transfer {
namespace {

class FetchPlainHost : public FetchFixture {
 protected:
  // The host's PATH holds only these; false where this machine has them not to give.
  bool only(const std::vector<std::string>& programs, const std::filesystem::path& busybox = {}) {
    std::filesystem::create_directories(scratch / "bin");
    for (const auto& program : programs) {
      std::filesystem::path found = busybox;
      if (busybox.empty()) found = program == "sh" ? "/bin/dash" : "/usr/bin/" + program;
      if (!std::filesystem::exists(found)) return false;
      std::filesystem::create_symlink(found, scratch / "bin" / program);
    }
    host.before = [this](Command& command, bool) {
      command.argv[0] = (scratch / "bin/sh").string();
      command.env["PATH"] = (scratch / "bin").string();
    };
    return true;
  }
  // Busybox runs its own applets, whatever is on the PATH: nothing can be taken from it.
  bool only_busybox() { return only(tools, "/usr/bin/busybox"); }
  bool all_but(const std::string& left_out, const std::string& more = {}) {
    auto programs = tools;
    std::erase(programs, left_out);
    if (!more.empty()) programs.push_back(more);
    return only(programs);
  }

  void put_odd_profile() {
    put_profile(300'000);
    put("new\nline 'quoted' \"twice\" \xff", "odd");
    put("a\nb", "also odd");
    put(std::string(255, 'n'), "long");
    put("-n", "dash");
    std::filesystem::create_hard_link(scratch / "remote/-n", scratch / "remote/linked");
    files["linked"] = "dash";
  }

  const std::vector<std::string> tools = {"sh",        "find",   "stat", "tar",  "xargs", "gzip",
                                          "wc",        "tr",     "head", "tail", "cat",   "nproc",
                                          "sha256sum", "printf", "test", "["};
};

TEST_F(FetchPlainHost, busybox_is_enough) {
  if (!only_busybox()) GTEST_SKIP() << "needs busybox";
  put_odd_profile();
  const auto artifact = fetch();
  expect_whole(artifact);
  EXPECT_EQ(artifact->codec, "gzip");
  EXPECT_NE(artifact->codec_reason.find("no zstd"), std::string::npos);
  EXPECT_EQ(fetch()->wire_bytes, 0U);
}

TEST_F(FetchPlainHost, no_packer_at_all_is_enough) {
  if (!all_but("gzip")) GTEST_SKIP() << "needs dash and GNU tools in /usr/bin";
  put_odd_profile();
  const auto artifact = fetch();
  expect_whole(artifact);
  EXPECT_EQ(artifact->codec, "none");
}

TEST_F(FetchPlainHost, what_is_configured_but_missing_falls_back_and_says_so) {
  if (!only_busybox()) GTEST_SKIP() << "needs busybox";
  put_profile(300'000);
  auto asked = request();
  asked.settings.codec = "zstd";
  const auto artifact = fetch(asked);
  expect_whole(artifact);
  EXPECT_EQ(artifact->codec, "gzip");
}

TEST_F(FetchPlainHost, python_hashes_where_nothing_else_does) {
  if (!all_but("sha256sum", "python3"))
    GTEST_SKIP() << "needs dash, GNU tools and python3 in /usr/bin";
  put_odd_profile();
  expect_whole(fetch());
}

TEST_F(FetchPlainHost, without_a_hasher_nothing_is_called_verified) {
  if (!all_but("sha256sum")) GTEST_SKIP() << "needs dash and GNU tools in /usr/bin";
  put("a.csv", "1");
  const auto artifact = fetch();
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, codes::command_failed);
  EXPECT_FALSE(std::filesystem::exists(scratch / "home/profile_l1/a.csv"));
}

TEST_F(FetchPlainHost, a_broken_host_says_what_is_missing) {
  if (!all_but("tar")) GTEST_SKIP() << "needs dash and GNU tools in /usr/bin";
  put("a.csv", "1");
  const auto artifact = fetch();
  ASSERT_FALSE(artifact);
  EXPECT_NE(artifact.error().message.find("tar"), std::string::npos) << artifact.error().message;
}

TEST_F(FetchPlainHost, resumes_with_busybox) {
  if (!only_busybox()) GTEST_SKIP() << "needs busybox";
  put("big", noise(6'000'000));
  auto asked = request();
  asked.tuning.reconnects = 0;
  asked.tuning.resume_from = 2 << 20;
  asked.settings.codec = "none";
  host.streamed = [left = 4'000'000](std::string& piece) mutable -> std::optional<Error> {
    left -= static_cast<int>(piece.size());
    if (left < 0) return MeddlingHost::connection_lost();
    return std::nullopt;
  };
  ASSERT_FALSE(fetch(asked));
  host.streamed = [](auto&) { return std::nullopt; };
  host.streamed_bytes = 0;
  expect_whole(fetch(asked));
  EXPECT_LT(host.streamed_bytes, 3'500'000U);
}

}  // namespace
}  // namespace npuprof::transfer
