#include "transport/http_message.hpp"

#include <gtest/gtest.h>

namespace npuprof::transport {
namespace {

// The status that the text is refused with, or 0; `request` is the first whole one.
int parse(const std::string& text, HttpRequest* request = nullptr, std::size_t chunk = 1 << 20) {
  HttpParser parser({.head_bytes = 1000, .body_bytes = 1000});
  std::string input;
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    input += text.substr(at, chunk);
    while (true) {
      const auto outcome = parser.feed(input);
      if (outcome.error != 0) return outcome.error;
      if (outcome.event == HttpParser::Event::need_more) break;
      if (outcome.event == HttpParser::Event::request) {
        auto whole = parser.take();
        if (request) *request = std::move(whole);
        return 0;
      }
    }
  }
  return -1;
}

TEST(HttpMessage, ReadsARequestHoweverItArrives) {
  const std::string text =
      "POST /mcp?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-A:  b c \r\n\r\nhello";
  for (const std::size_t chunk : {1u, 2u, 1000u}) {
    HttpRequest request;
    ASSERT_EQ(parse(text, &request, chunk), 0);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/mcp");
    EXPECT_EQ(*request.header("x-a"), "b c");
    EXPECT_EQ(request.body, "hello");
    EXPECT_TRUE(request.keep_alive);
  }
}

TEST(HttpMessage, ReadsChunks) {
  const std::string text =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;ext=1\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n";
  for (const std::size_t chunk : {1u, 3u, 1000u}) {
    HttpRequest request;
    ASSERT_EQ(parse(text, &request, chunk), 0);
    EXPECT_EQ(request.body, "hello!");
  }
}

TEST(HttpMessage, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  for (const std::string bad :
       {"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: +5\r\n",
        "Content-Length: 5, 5\r\n", "Content-Length: \r\n", "Content-Length : 5\r\n",
        "Content-Length: 0x5\r\n", " Content-Length: 5\r\n", "Host: b\r\n", "A: b\r\n c\r\n",
        "A\r\n", "A: \x01\r\n", "A: b\rc\r\n", ": x\r\n"}) {
    EXPECT_EQ(parse(post + bad + "\r\nhello"), 400) << bad;
  }
  for (const std::string bad :
       {"Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity, chunked\r\n"}) {
    EXPECT_EQ(parse(post + bad + "\r\n0\r\n\r\n"), 501) << bad;
  }
  for (const std::string bad :
       {"GET / HTTP/1.1\r\n\r\n", "GET /\r\nHost: a\r\n\r\n", "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    EXPECT_EQ(parse(bad), 400) << bad;
  }
  EXPECT_EQ(parse("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
}

TEST(HttpMessage, RefusesBrokenChunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string bad :
       {"x\r\n", "-1\r\n", "5\r\nhelloX\r\n", "\r\n", "ffffffffffffffffff\r\n"}) {
    EXPECT_EQ(parse(head + bad), 400) << bad;
  }
}

TEST(HttpMessage, EveryLengthHasABound) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(parse(post + "A: " + std::string(2000, 'x')), 431);
  EXPECT_EQ(parse(post + "A: " + std::string(2000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(parse(post + "Content-Length: 1001\r\n\r\n"), 413);
  EXPECT_EQ(parse(post + "Content-Length: 99999999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(parse(post + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n"), 413);
  EXPECT_EQ(parse(post + "Transfer-Encoding: chunked\r\n\r\n" + std::string(200, '0')), 400);
  EXPECT_EQ(parse(post + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + std::string(2000, 'x')), 431);
}

}  // namespace
}  // namespace npuprof::transport
