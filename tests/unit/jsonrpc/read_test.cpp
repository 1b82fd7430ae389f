#include "jsonrpc/read.hpp"

#include <gtest/gtest.h>

namespace npuprof::jsonrpc {
namespace {

TEST(Reader, ReadsEveryKindOfValue) {
  Reader reader;
  const std::string text = R"({"a":[1,-2,2.5,true,null,"x\nü"],"b":{}})";
  EXPECT_EQ(*reader.read(text), Json::parse(text));
}

TEST(Reader, KeepsIntegersOf64BitsAndReadsLongerOnesAsDoubles) {
  Reader reader;
  EXPECT_EQ(reader.read("[9007199254740993]")->at(0).get<std::int64_t>(), 9007199254740993);
  EXPECT_EQ(reader.read("[18446744073709551615]")->at(0).get<std::uint64_t>(),
            18446744073709551615ULL);
  EXPECT_TRUE(reader.read("[123456789012345678901234567890]")->at(0).is_number_float());
}

TEST(Reader, RefusesWhatIsNestedTooDeeply) {
  Reader reader(64);
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(reader.read(nested(60)).has_value());
  EXPECT_FALSE(reader.read(nested(65)).has_value());
  EXPECT_FALSE(reader.read(nested(1'000'000)).has_value());
  EXPECT_FALSE(
      reader.read(std::string(100, '[') + "123456789012345678901234567890" + std::string(100, ']'))
          .has_value());
}

TEST(Reader, RefusesInvalidUtf8AndBrokenText) {
  Reader reader;
  for (const std::string bad :
       {"{\"a\":\"\xff\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":1", "{\"a\":1}}", "", "nul",
        "{\"a\":\"\x01\"}", "{'a':1}", "[1,]", "{\"a\":1e999999}x"}) {
    EXPECT_FALSE(reader.read(bad).has_value()) << bad;
  }
}

TEST(Reader, ReadsAgainAfterAFailureAndAfterALongText) {
  Reader reader;
  EXPECT_FALSE(reader.read("{").has_value());
  const std::string text = "[\"" + std::string(4 << 20, 'x') + "\"]";
  EXPECT_EQ(reader.read(text)->at(0).get_ref<const std::string&>().size(), 4u << 20);
  EXPECT_EQ(*reader.read("[1]"), Json::parse("[1]"));
}

}  // namespace
}  // namespace npuprof::jsonrpc
