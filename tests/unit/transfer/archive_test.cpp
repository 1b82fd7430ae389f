#include "transfer/archive.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error_codes.hpp"
#include "core/sha256.hpp"
#include "transfer/unpack.hpp"
#include "unit/transfer/scratch.hpp"

namespace npuprof::transfer {
namespace {

class PackArchive : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& content) {
    scratch.write("d/" + name, content);
    files.push_back({.path = name, .bytes = content.size(), .sha256 = sha256_hex(content)});
  }
  Result<PackedArchive> pack(unsigned threads = 2) {
    return pack_archive(scratch.path() / "d", files, "profile_l1", archive, threads);
  }

  Scratch scratch;
  std::filesystem::path archive = scratch.path() / "profile_l1.tar.gz";
  std::vector<ArtifactFile> files;
};

std::string noisy(std::size_t size) {
  std::string out(size, '\0');
  unsigned state = 1;
  for (auto& c : out)
    c = static_cast<char>("0123456789abcdef\n,"[(state = state * 1103515245 + 12345) >> 28]);
  return out;
}

TEST_F(PackArchive, unpacks_to_the_same_files) {
  add("z/trace.json", noisy(5'000'000));
  add("a.csv", "x\n");
  add("empty", "");
  add("name\nwith 'odd' \xff bytes", "odd");
  add(std::string(255, 'n'), "long");
  const auto packed = pack();
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->sha256, sha256_of_file(archive).value());
  EXPECT_EQ(packed->bytes, std::filesystem::file_size(archive));
  const auto out = unpack(archive, scratch.path() / "out");
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(out->files.size(), files.size());
  for (const auto& file : files) {
    EXPECT_TRUE(std::any_of(out->files.begin(), out->files.end(), [&](const auto& other) {
      return other.path == "profile_l1/" + file.path && other.sha256 == file.sha256;
    })) << file.path;
  }
}

TEST_F(PackArchive, gives_the_same_bytes_for_the_same_content) {
  add("a", noisy(3'500'000));
  add("b", "2");
  const auto first = pack(1);
  std::reverse(files.begin(), files.end());
  std::filesystem::last_write_time(scratch.path() / "d/a",
                                   std::filesystem::file_time_type::clock::now());
  const auto second = pack(4);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->sha256, second->sha256);
}

TEST_F(PackArchive, is_read_by_gnu_tar_and_gzip_and_python) {
  add("dir/a", noisy(2'500'000));
  add("b", "2");
  ASSERT_TRUE(pack());
  const auto run = [&](const std::string& command) {
    return std::system(("cd '" + scratch.path().string() + "' && " + command).c_str());
  };
  EXPECT_EQ(run("gzip -t profile_l1.tar.gz"), 0);
  EXPECT_EQ(run("mkdir x && tar -xzf profile_l1.tar.gz -C x && diff -r d x/profile_l1"), 0);
  EXPECT_EQ(run("python3 -c \"import tarfile; t = tarfile.open('profile_l1.tar.gz'); "
                "t.extractall('y'); m = t.getmembers(); "
                "assert [i.name for i in m] == ['profile_l1/b', 'profile_l1/dir/a'], m; "
                "assert all((i.uid, i.gid, i.mtime) == (0, 0, 315532800) for i in m)\" "
                "&& diff -r d y/profile_l1"),
            0);
}

TEST_F(PackArchive, refuses_a_file_that_was_altered_since_it_was_verified) {
  add("a", "one");
  scratch.write("d/a", "two");
  const auto packed = pack();
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, codes::checksum_mismatch);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"d"});
}

TEST_F(PackArchive, follows_no_link) {
  add("a", "one");
  scratch.write("elsewhere", "one");
  std::filesystem::remove(scratch.path() / "d/a");
  std::filesystem::create_symlink("../elsewhere", scratch.path() / "d/a");
  EXPECT_FALSE(pack());
}

}  // namespace
}  // namespace npuprof::transfer
