#include "core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace npuprof {
namespace {

class AtomicFile : public ::testing::Test {
 protected:
  AtomicFile() {
    char name[] = "/tmp/npuprof-test-XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  ~AtomicFile() override { std::filesystem::remove_all(directory_); }
  std::filesystem::path directory_;
};

TEST_F(AtomicFile, ReplacingLeavesTheNewContentAndNothingElse) {
  ASSERT_TRUE(replace_file(directory_ / "a", "one").has_value());
  ASSERT_TRUE(replace_file(directory_ / "a", "two", 0640).has_value());
  EXPECT_EQ(read_local_file(directory_ / "a", 100).value(), "two");
  struct stat info {};
  ASSERT_EQ(::stat((directory_ / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(AtomicFile, FailureLeavesNothingBehind) {
  std::filesystem::create_directory(directory_ / "taken");
  std::filesystem::create_directory(directory_ / "taken/full");
  EXPECT_FALSE(replace_file(directory_ / "taken", "x").has_value());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
  EXPECT_EQ(replace_file(directory_ / "missing/a", "x").error().code, "NOT_FOUND");
}

TEST_F(AtomicFile, ReadingIsBounded) {
  ASSERT_TRUE(replace_file(directory_ / "a", "12345").has_value());
  EXPECT_EQ(read_local_file(directory_ / "a", 4).error().code, "TOO_LARGE");
  EXPECT_EQ(read_local_file(directory_ / "b", 4).error().code, "NOT_FOUND");
}

}  // namespace
}  // namespace npuprof
