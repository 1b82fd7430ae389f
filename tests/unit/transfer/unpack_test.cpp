#include "transfer/unpack.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/error_codes.hpp"
#include "core/sha256.hpp"
#include "unit/transfer/scratch.hpp"
#include "unit/transfer/tar_bytes.hpp"

namespace npuprof::transfer {
namespace {

class Unpack : public ::testing::Test {
 protected:
  Result<Unpacked> unpack_bytes(const std::string& bytes, const UnpackLimits& limits = {}) {
    scratch.write("in.tar.gz", bytes);
    auto out = unpack(scratch.path() / "in.tar.gz", scratch.path() / "out", limits);
    // Whole or not at all, and no temporary name is left.
    EXPECT_EQ(scratch.names(), out ? (std::vector<std::string>{"in.tar.gz", "out"})
                                   : (std::vector<std::string>{"in.tar.gz"}));
    return out;
  }

  void expect_unsafe(const std::string& bytes) {
    const auto out = unpack_bytes(bytes);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, codes::archive_unsafe) << out.error().message;
  }

  Scratch scratch;
};

TEST_F(Unpack, gives_back_what_was_packed) {
  const std::string big(3'000'000, 'z');
  const auto out = unpack_bytes(TarBytes()
                                    .directory("p/")
                                    .file("p/a.csv", "x,y\n")
                                    .file("p/big", big)
                                    .file("p/empty", "")
                                    .done());
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->bytes, 4 + big.size());
  ASSERT_EQ(out->files.size(), 3U);
  EXPECT_EQ(out->files[0].path, "p/a.csv");
  EXPECT_EQ(out->files[1].sha256, sha256_hex(big));
  EXPECT_EQ(scratch.read("out/p/a.csv"), "x,y\n");
  EXPECT_EQ(scratch.read("out/p/big"), big);
}

TEST_F(Unpack, refuses_paths_that_lead_out) {
  expect_unsafe(TarBytes().file("../evil", "x").done());
  expect_unsafe(TarBytes().file("a/../../evil", "x").done());
  expect_unsafe(TarBytes().file("/tmp/evil", "x").done());
  expect_unsafe(TarBytes()
                    .file("a\xE2\x88\x95"
                          "b",
                          "x")
                    .done());
  EXPECT_FALSE(std::filesystem::exists(scratch.path().parent_path() / "evil"));
}

TEST_F(Unpack, refuses_links_that_lead_out) {
  expect_unsafe(TarBytes().symlink("a", "/etc").done());
  expect_unsafe(TarBytes().symlink("d/a", "../../etc").done());
  expect_unsafe(TarBytes().hard_link("a", "/etc/passwd").done());
  expect_unsafe(TarBytes().hard_link("a", "../outside").done());
  expect_unsafe(TarBytes().hard_link("a", "nowhere").done());
}

TEST_F(Unpack, never_writes_through_a_link) {
  const auto out =
      unpack_bytes(TarBytes().directory("real/").symlink("d", "real").file("d/x", "1").done());
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(out->left_out.size(), 1U);
  EXPECT_EQ(out->left_out[0].path, "d");
  EXPECT_EQ(scratch.read("out/d/x"), "1");
  EXPECT_FALSE(std::filesystem::is_symlink(scratch.path() / "out/d"));
}

TEST_F(Unpack, keeps_hard_links_inside) {
  const auto out = unpack_bytes(TarBytes().file("a", "same").hard_link("b", "a").done());
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(scratch.read("out/b"), "same");
  EXPECT_EQ(out->files.size(), 2U);
}

TEST_F(Unpack, refuses_devices_and_fifos) {
  expect_unsafe(TarBytes().special("dev", AE_IFCHR).done());
  expect_unsafe(TarBytes().special("fifo", AE_IFIFO).done());
}

TEST_F(Unpack, refuses_two_files_of_one_name) {
  expect_unsafe(TarBytes().file("a", "1").file("a", "2").done());
  expect_unsafe(TarBytes().directory("a/").file("a", "2").done());
}

TEST_F(Unpack, drops_setuid_and_execute_bits) {
  const auto out = unpack_bytes(TarBytes().file("tool", "x", 06755).done());
  ASSERT_TRUE(out);
  struct stat info {};
  ASSERT_EQ(::stat((scratch.path() / "out/tool").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07111U, 0U);
}

TEST_F(Unpack, holds_its_limits) {
  const auto bytes =
      TarBytes().file("a", std::string(1000, 'x')).file("b", std::string(1000, 'x')).done();
  EXPECT_TRUE(unpack_bytes(bytes, {.max_bytes = 2000}));
  std::filesystem::remove_all(scratch.path() / "out");
  EXPECT_EQ(unpack_bytes(bytes, {.max_bytes = 1999}).error().code, codes::archive_unsafe);
  EXPECT_EQ(unpack_bytes(bytes, {.max_files = 1}).error().code, codes::archive_unsafe);
  EXPECT_EQ(unpack_bytes(TarBytes().file("a/b/c", "").done(), {.max_depth = 1}).error().code,
            codes::archive_unsafe);
}

TEST_F(Unpack, refuses_a_huge_ratio) {
  expect_unsafe(TarBytes().file("bomb", std::string(80 << 20, '\0')).done());
}

TEST_F(Unpack, notices_a_cut_at_every_block) {
  std::string noise;
  for (unsigned i = 0; i < 4000; ++i) noise += static_cast<char>((i * 2654435761U) >> 24);
  for (const bool gzip : {true, false}) {
    const auto whole = TarBytes(gzip).file("a", noise).file("b", noise).done();
    ASSERT_TRUE(unpack_bytes(whole));
    std::filesystem::remove_all(scratch.path() / "out");
    // An uncompressed tar may lack the padding behind its end mark.
    const auto needed = gzip ? whole.size() : 2 * (512 + 4096) + 1024;
    for (std::size_t cut = 0; cut < needed; cut += 512) {
      EXPECT_FALSE(unpack_bytes(whole.substr(0, cut))) << cut;
    }
    EXPECT_FALSE(unpack_bytes(whole.substr(0, needed - 1)));
  }
}

TEST_F(Unpack, notices_an_altered_byte_at_every_block) {
  std::string noise;
  for (unsigned i = 0; i < 4000; ++i) noise += static_cast<char>((i * 2654435761U) >> 24);
  const auto whole = TarBytes().file("a", noise).file("b", noise).done();
  for (std::size_t at = 10; at < whole.size(); at += 64) {  // beyond the header's free fields
    auto altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 0x40);
    EXPECT_FALSE(unpack_bytes(altered)) << at;
  }
}

TEST_F(Unpack, refuses_what_is_no_archive) {
  EXPECT_FALSE(unpack_bytes(""));
  EXPECT_FALSE(unpack_bytes("hello"));
  EXPECT_FALSE(unpack_bytes(std::string(10'000, 'x')));
}

TEST_F(Unpack, leaves_an_existing_directory_alone) {
  scratch.write("out/mine", "1");
  scratch.write("in.tar.gz", TarBytes().file("a", "1").done());
  const auto out = unpack(scratch.path() / "in.tar.gz", scratch.path() / "out");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, codes::already_exists);
  EXPECT_EQ(scratch.read("out/mine"), "1");
}

}  // namespace
}  // namespace npuprof::transfer
