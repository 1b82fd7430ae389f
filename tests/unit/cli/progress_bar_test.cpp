#include "cli/progress_bar.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace npuprof::cli {
namespace {

TEST(ProgressBar, shows_share_and_message) {
  const std::string line = progress_line({.done = 3, .total = 12, .message = "window"}, 80);
  EXPECT_EQ(line, "[######..................]  25%  window");
}

TEST(ProgressBar, shows_the_message_alone_where_the_total_is_unknown) {
  EXPECT_EQ(progress_line({.done = 3, .message = "loading"}, 80), "loading");
}

TEST(ProgressBar, is_cut_to_the_width_without_splitting_a_character) {
  EXPECT_EQ(progress_line({.message = "采集采集"}, 6), "采集");
  EXPECT_EQ(progress_line({.message = "abcdef"}, 4), "abc");
}

TEST(ProgressBar, keeps_to_one_line) {
  EXPECT_EQ(progress_line({.message = "a\nb\tc"}, 80), "a b c");
}

TEST(ProgressBar, writes_nothing_where_there_is_no_terminal) {
  std::ostringstream out;
  {
    ProgressBar bar(out, false);
    bar.show({.done = 1, .total = 2, .message = "x"});
  }
  EXPECT_EQ(out.str(), "");
}

TEST(ProgressBar, takes_its_line_away_at_the_end) {
  std::ostringstream out;
  {
    ProgressBar bar(out, true);
    bar.show({.message = "x"});
  }
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace npuprof::cli
