#include "jsonrpc/message.hpp"

#include <gtest/gtest.h>

namespace npuprof::jsonrpc {
namespace {

auto read(const char* text) {
  return message_from(Json::parse(text));
}

TEST(Message, TellsRequestsNotificationsAndResponsesApart) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"m"})")->kind, Message::Kind::request);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"m","params":{}})")->kind,
            Message::Kind::notification);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"result":{}})")->kind, Message::Kind::result);
  const auto error = read(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})");
  EXPECT_EQ(error->kind, Message::Kind::error);
  EXPECT_EQ(error->error.code, -1);
}

TEST(Message, IdsAreStringsOrIntegersAndComeBackUnchanged) {
  for (const char* id : {"1", "0", "-7", "9223372036854775807", "18446744073709551615", "\"a b\"",
                         "\"\"", "\"\\u0000\""}) {
    const auto message =
        message_from(Json::parse(R"({"jsonrpc":"2.0","method":"m","id":)" + std::string(id) + "}"));
    ASSERT_TRUE(message.has_value()) << id;
    EXPECT_EQ(Json::parse(result_text(message->id, {})).at("id"), Json::parse(id));
  }
}

TEST(Message, EverythingElseIsAnInvalidRequest) {
  for (const char* bad :
       {"1", "[]", "{}", R"({"id":1,"method":"m"})", R"({"jsonrpc":"1.0","id":1,"method":"m"})",
        R"({"jsonrpc":"2.0","id":1,"method":2})", R"({"jsonrpc":"2.0","id":null,"method":"m"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", R"({"jsonrpc":"2.0","id":{},"method":"m"})",
        R"({"jsonrpc":"2.0","id":1e30,"method":"m"})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})",
        R"({"jsonrpc":"2.0","id":1,"error":7})"}) {
    const auto message = read(bad);
    ASSERT_FALSE(message.has_value()) << bad;
    EXPECT_EQ(message.error().error.code, invalid_request) << bad;
  }
}

TEST(Message, AnInvalidRequestIsAnsweredUnderItsIdWhereThatIsKnown) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":"x","method":2})").error().id, "x");
  EXPECT_EQ(read(R"({"id":4,"method":"m"})").error().id, 4);
}

}  // namespace
}  // namespace npuprof::jsonrpc
