#include "core/host_text.hpp"

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(HostText, PlainTextStaysAsItIs) {
  EXPECT_EQ(clean_host_text("a\tb\nü 昇腾", 100), "a\tb\nü 昇腾");
}

TEST(HostText, EscapeSequencesAndControlCharactersAreDropped) {
  EXPECT_EQ(clean_host_text("\x1b[31mred\x1b[0m\x1b]0;title\a\b\x7f!\r\n", 100), "red!\n");
  EXPECT_EQ(clean_host_text(std::string_view("a\0b", 3), 100), "ab");
  EXPECT_EQ(clean_host_text("cut \x1b[3", 100), "cut ");
}

TEST(HostText, InvalidUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(clean_host_text("\xff\xc0\xaf", 100), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(clean_host_text("\xed\xa0\x80", 100), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(clean_host_text("ok \xe6\x98", 100), "ok \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(HostText, LongTextKeepsHeadAndTailAndSaysHowMuchIsLeftOut) {
  const std::string text = std::string(60, 'a') + std::string(60, 'b');
  EXPECT_EQ(clean_host_text(text, 20), "aaaaaaaaaa\n[... 100 bytes left out ...]\nbbbbbbbbbb");
  const auto huge = clean_host_text(std::string(50'000'000, 'x'), 1000);
  EXPECT_LT(huge.size(), 1100U);
  EXPECT_NE(huge.find("49999000 bytes left out"), std::string::npos);
}

TEST(HostText, CuttingNeverSplitsACharacter) {
  const auto text = clean_host_text("ääääääääääääääääääää", 11);
  EXPECT_EQ(text.find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(clean_host_text(text, 1000), text);
}

}  // namespace
}  // namespace npuprof
