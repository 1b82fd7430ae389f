#include "transfer/safe_path.hpp"

#include <gtest/gtest.h>

#include "core/error_codes.hpp"

namespace npuprof::transfer {
namespace {

TEST(SafePath, settles_dots_and_doubled_slashes) {
  EXPECT_EQ(safe_path("./a//b/./c.csv", 10).value(), "a/b/c.csv");
}

TEST(SafePath, keeps_odd_but_harmless_names) {
  for (const std::string name : {"a b", "quote'\"", "new\nline", "-rf", "...", "..a", "\xff\xfe",
                                 "\xE4\xB8\xAD\xE6\x96\x87.csv", "~"}) {
    EXPECT_EQ(safe_path(name, 10).value_or("refused"), name);
  }
  const std::string longest(255, 'x');
  EXPECT_EQ(safe_path(longest, 10).value(), longest);
}

TEST(SafePath, refuses_every_way_out) {
  for (const std::string name : {"", ".", "./", "/etc/passwd", "../x", "a/../b", "a/..", "a\\b"}) {
    const auto path = safe_path(name, 10);
    ASSERT_FALSE(path) << name;
    EXPECT_EQ(path.error().code, codes::archive_unsafe);
  }
  EXPECT_FALSE(safe_path(std::string_view("a\0b", 3), 10));
}

TEST(SafePath, refuses_look_alikes_of_separators) {
  for (const std::string name : {"a\xE2\x88\x95"
                                 "b",
                                 "a\xE2\x81\x84"
                                 "b",
                                 "a\xEF\xBC\x8F"
                                 "b",
                                 "\xC0\xAE\xC0\xAE/x",
                                 "a\xC0\xAF"
                                 "b",
                                 "a\xE0\x80\xAF"
                                 "b",
                                 "a\xEF\xBC\xBC"
                                 "b"}) {
    EXPECT_FALSE(safe_path(name, 10)) << name;
  }
}

TEST(SafePath, bounds_length_and_depth) {
  EXPECT_FALSE(safe_path(std::string(256, 'x'), 10));
  EXPECT_TRUE(safe_path("1/2/3/file", 3));
  EXPECT_FALSE(safe_path("1/2/3/4/file", 3));
}

TEST(SafePath, shows_a_hostile_name_on_one_clean_line) {
  EXPECT_EQ(shown_path("a\x1b[31m\nb\xff"), "a b\xEF\xBF\xBD");
}

}  // namespace
}  // namespace npuprof::transfer
