#include "jsonrpc/write.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace npuprof::jsonrpc {
namespace {

std::string text_of(const Json& value) {
  std::string out;
  append(out, value);
  return out;
}

TEST(Write, GivesBackWhatWasRead) {
  for (const char* text :
       {R"({"a":[1,-2,2.5,true,null,"x"],"b":{}})", "18446744073709551615", "-9223372036854775808",
        R"("\"\\\n\t\r\u0001\u007f")", "\"\xE4\xB8\xAD\xF0\x9F\x98\x80\"", "[]", "1e-300"}) {
    EXPECT_EQ(Json::parse(text_of(Json::parse(text))), Json::parse(text)) << text;
  }
}

TEST(Write, IsOneLineWhateverTheTextHolds) {
  EXPECT_EQ(text_of("a\r\nb").find_first_of("\r\n"), std::string::npos);
}

TEST(Write, MakesInvalidUtf8Valid) {
  for (const std::string bad : {"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf"}) {
    std::string out;
    append_string(out, bad);
    EXPECT_FALSE(Json::parse(out, nullptr, false).is_discarded()) << out;
    EXPECT_NE(out.find("\xEF\xBF\xBD"), std::string::npos);
  }
}

TEST(Write, HasNoNumberThatIsNotFinite) {
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(Write, Base64HasPaddingAndNoLineEnds) {
  const auto encoded = [](std::string_view bytes) {
    std::string out;
    append_base64(out, bytes);
    return out;
  };
  EXPECT_EQ(encoded(""), "\"\"");
  EXPECT_EQ(encoded("f"), "\"Zg==\"");
  EXPECT_EQ(encoded("fo"), "\"Zm8=\"");
  EXPECT_EQ(encoded("foobar"), "\"Zm9vYmFy\"");
  EXPECT_EQ(encoded(std::string_view("\0\xff\x80", 3)), "\"AP+A\"");
}

}  // namespace
}  // namespace npuprof::jsonrpc
