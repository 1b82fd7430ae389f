#include "transport/stdio.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <thread>

#include "../mcp/sample_tools.hpp"

namespace npuprof::transport {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

// A server with a few tools behind pipes, and the client's end of them.
class StdioTest : public ::testing::Test {
 protected:
  StdioTest() {
    server_.add(echo_);
    server_.add(fails_);
    server_.add(breaks_schema_);
    server_.add(throws_);
    server_.add(counts_);
    server_.add(waits_);
    EXPECT_EQ(pipe2(in_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out_.data(), O_CLOEXEC), 0);
  }

  ~StdioTest() override {
    close_input();
    if (serving_.joinable()) serving_.join();
    close(in_[0]);
    close(out_[0]);
    close(out_[1]);
  }

  void start(StdioLimits limits = {}) {
    serving_ = std::thread([this, limits] {
      serve_stdio(server_, in_[0], out_[1], stop_.get_token(), limits);
      served_ = true;
    });
  }

  void close_input() {
    if (in_[1] >= 0) close(in_[1]);
    in_[1] = -1;
  }

  void write_text(std::string_view text) {
    while (!text.empty()) {
      const auto written = write(in_[1], text.data(), text.size());
      ASSERT_GT(written, 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void send(const Json& message) { write_text(message.dump() + "\n"); }

  void request(const Json& id, const std::string& method, const Json& params = Json::object()) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  }

  // The next line of the output; every one of them is a JSON object.
  Json receive(seconds limit = seconds(20)) {
    const auto until = steady_clock::now() + limit;
    while (received_.find('\n') == std::string::npos) {
      pollfd waits{out_[0], POLLIN, 0};
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
      if (left.count() <= 0 || poll(&waits, 1, static_cast<int>(left.count())) <= 0) {
        ADD_FAILURE() << "no answer came";
        return nullptr;
      }
      std::array<char, 65536> chunk;
      const auto length = read(out_[0], chunk.data(), chunk.size());
      if (length <= 0) {
        ADD_FAILURE() << "the output ended";
        return nullptr;
      }
      received_.append(chunk.data(), static_cast<std::size_t>(length));
    }
    const auto end = received_.find('\n');
    auto message = Json::parse(received_.substr(0, end), nullptr, false);
    EXPECT_TRUE(message.is_object()) << received_.substr(0, end);
    received_.erase(0, end + 1);
    return message;
  }

  Json initialize(const std::string& revision = "2025-11-25") {
    request("init", "initialize",
            {{"protocolVersion", revision},
             {"capabilities", Json::object()},
             {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
    auto answer = receive();
    send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
    return answer;
  }

  static Json modern(Json params = Json::object(), const std::string& revision = "2026-07-28") {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = revision;
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    return params;
  }

  void expect_end(seconds limit) {
    const auto until = steady_clock::now() + limit;
    while (!served_ && steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_TRUE(served_) << "the server did not end";
  }

  mcp::FunctionTool echo_{mcp::spec_of("echo"), [](const Json& arguments, CallContext&) {
                            return ToolResult{.structured = {{"ok", true}, {"said", arguments}},
                                              .text = arguments.value("text", "")};
                          }};
  mcp::FunctionTool fails_{
      mcp::spec_of("fails"), [](const Json&, CallContext&) {
        return failed(
            {.code = "NOT_FOUND", .message = "there is nothing", .remedy = "Look elsewhere."});
      }};
  mcp::FunctionTool breaks_schema_{mcp::spec_of("breaks_schema"), [](const Json&, CallContext&) {
                                     return ToolResult{.structured = {{"ok", "yes"}}, .text = "ok"};
                                   }};
  mcp::FunctionTool throws_{mcp::spec_of("throws"), [](const Json&, CallContext&) -> ToolResult {
                              throw std::runtime_error("a bug");
                            }};
  mcp::FunctionTool counts_{mcp::spec_of("counts"), [](const Json&, CallContext& context) {
                              for (const double done : {1.0, 2.0, 2.0, 1.0, 3.0}) {
                                context.progress({.done = done, .total = 3, .message = "step"});
                              }
                              return ToolResult{.structured = {{"ok", true}}, .text = "done"};
                            }};
  std::latch waiting_{1};
  mcp::FunctionTool waits_{mcp::spec_of("waits"), [this](const Json&, CallContext& context) {
                             waiting_.count_down();
                             std::mutex mutex;
                             std::unique_lock lock(mutex);
                             std::condition_variable_any never;
                             never.wait(lock, context.stop, [] { return false; });
                             context.progress({.done = 1});
                             return ToolResult{.structured = {{"ok", true}}, .text = "stopped"};
                           }};
  mcp::Server server_{{.name = "sample", .version = "1.0", .instructions = "Call echo."}};
  std::array<int, 2> in_{-1, -1};
  std::array<int, 2> out_{-1, -1};
  std::stop_source stop_;
  std::thread serving_;
  std::atomic<bool> served_ = false;
  std::string received_;
};

TEST_F(StdioTest, AnswersTheHandshakeInTheRevisionThatTheClientAskedFor) {
  start();
  const auto answer = initialize("2025-06-18");
  EXPECT_EQ(answer["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(answer["result"]["serverInfo"]["name"], "sample");
  EXPECT_EQ(answer["result"]["instructions"], "Call echo.");
  EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
}

TEST_F(StdioTest, AnswersAnUnknownRevisionWithTheNewestThatHasAHandshake) {
  start();
  EXPECT_EQ(initialize("1999-01-01")["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(StdioTest, ASecondInitializeIsAnErrorAndChangesNothing) {
  start();
  initialize("2025-06-18");
  EXPECT_EQ(initialize("2024-11-05")["error"]["code"], -32600);
  request(2, "tools/list");
  EXPECT_TRUE(receive()["result"]["tools"][0].contains("outputSchema"));
}

TEST_F(StdioTest, DiscoverNeedsNoHandshakeAndCarriesWhatEveryModernResultDoes) {
  start();
  request(1, "server/discover", modern());
  const auto result = receive()["result"];
  EXPECT_THAT(result["supportedVersions"], ::testing::Contains("2026-07-28"));
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_TRUE(result["ttlMs"].is_number_integer());
  EXPECT_EQ(result["cacheScope"], "public");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "sample");
}

TEST_F(StdioTest, AModernRequestMustSayItsRevisionAndCapabilities) {
  start();
  request(1, "server/discover");
  EXPECT_EQ(receive()["error"]["code"], -32602);
  auto params = modern();
  params["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  request(2, "tools/list", params);
  EXPECT_EQ(receive()["error"]["code"], -32602);
  request(3, "tools/list", modern(Json::object(), "2031-01-01"));
  const auto error = receive()["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["requested"], "2031-01-01");
  EXPECT_THAT(error["data"]["supported"], ::testing::Contains("2026-07-28"));
}

TEST_F(StdioTest, WhatTheModernEraRemovedIsUnknownThere) {
  start();
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
    request(1, method, modern());
    EXPECT_EQ(receive()["error"]["code"], -32601) << method;
  }
}

TEST_F(StdioTest, BothErasAreServedSideBySide) {
  start();
  request(1, "tools/list", modern());
  EXPECT_EQ(receive()["result"]["resultType"], "complete");
  initialize();
  request(2, "tools/list");
  EXPECT_FALSE(receive()["result"].contains("resultType"));
  request(3, "tools/list", modern());
  EXPECT_EQ(receive()["result"]["resultType"], "complete");
}

TEST_F(StdioTest, PingIsAnsweredBeforeTheHandshakeAndNothingElseIs) {
  start();
  request(1, "ping");
  EXPECT_EQ(receive()["result"], Json::object());
  request(2, "tools/list");
  EXPECT_EQ(receive()["error"]["code"], -32602);
  request(3, "no/such");
  EXPECT_EQ(receive()["error"]["code"], -32601);
}

TEST_F(StdioTest, ToolsAreListedInOrderWithSchemasAndAllAnnotations) {
  start();
  initialize();
  request(1, "tools/list");
  const auto tools = receive()["result"]["tools"];
  ASSERT_EQ(tools.size(), 6u);
  std::string last;
  for (const auto& tool : tools) {
    EXPECT_GT(tool["name"].get<std::string>(), last);
    last = tool["name"];
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_EQ(tool["outputSchema"]["type"], "object");
    for (const char* hint :
         {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}) {
      EXPECT_TRUE(tool["annotations"][hint].is_boolean());
    }
  }
}

TEST_F(StdioTest, ACallGivesTextAndStructure) {
  start();
  initialize();
  request(7, "tools/call", {{"name", "echo"}, {"arguments", {{"text", "hello"}}}});
  const auto answer = receive();
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["result"]["content"][0]["text"], "hello");
  EXPECT_EQ(answer["result"]["structuredContent"]["said"]["text"], "hello");
  EXPECT_FALSE(answer["result"].contains("isError"));
}

TEST_F(StdioTest, OldRevisionsGetNoStructure) {
  start();
  initialize("2024-11-05");
  request(7, "tools/call", {{"name", "echo"}, {"arguments", {{"text", "hello"}}}});
  const auto result = receive()["result"];
  EXPECT_EQ(result["content"][0]["text"], "hello");
  EXPECT_FALSE(result.contains("structuredContent"));
}

TEST_F(StdioTest, AnUnknownToolIsAProtocolError) {
  start();
  initialize();
  request(1, "tools/call", {{"name", "nothing"}});
  EXPECT_EQ(receive()["error"]["code"], -32602);
}

TEST_F(StdioTest, BadArgumentsAreAResultThatNamesTheField) {
  start();
  initialize();
  request(1, "tools/call", {{"name", "echo"}, {"arguments", {{"text", 5}}}});
  const auto result = receive()["result"];
  EXPECT_TRUE(result["isError"]);
  EXPECT_THAT(result["content"][0]["text"].get<std::string>(), ::testing::HasSubstr("text"));
  EXPECT_EQ(result["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");
}

TEST_F(StdioTest, AToolsFailureIsAResult) {
  start();
  initialize();
  request(1, "tools/call", {{"name", "fails"}});
  const auto result = receive()["result"];
  EXPECT_TRUE(result["isError"]);
  EXPECT_EQ(result["structuredContent"]["error"]["code"], "NOT_FOUND");
}

TEST_F(StdioTest, AResultThatBreaksItsSchemaAndAToolThatThrowsAreErrorsOfTheServer) {
  start();
  initialize();
  for (const char* tool : {"breaks_schema", "throws"}) {
    request(1, "tools/call", {{"name", tool}});
    const auto result = receive()["result"];
    EXPECT_TRUE(result["isError"]) << tool;
    EXPECT_EQ(result["structuredContent"]["error"]["code"], "INTERNAL") << tool;
  }
}

TEST_F(StdioTest, ProgressGrowsAndComesOnlyForATokenAndBeforeTheAnswer) {
  start();
  initialize();
  request(1, "tools/call", {{"name", "counts"}, {"_meta", {{"progressToken", "t"}}}});
  for (const double done : {1.0, 2.0, 3.0}) {
    const auto message = receive();
    EXPECT_EQ(message["method"], "notifications/progress");
    EXPECT_EQ(message["params"]["progressToken"], "t");
    EXPECT_EQ(message["params"]["progress"], done);
  }
  EXPECT_EQ(receive()["id"], 1);
  request(2, "tools/call", {{"name", "counts"}});
  EXPECT_EQ(receive()["id"], 2);
}

TEST_F(StdioTest, ACancelledCallStopsAndIsNotAnswered) {
  start();
  initialize();
  request(1, "tools/call", {{"name", "waits"}, {"_meta", {{"progressToken", 1}}}});
  waiting_.wait();
  request(2, "ping");
  EXPECT_EQ(receive()["id"], 2);
  send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 99}}}});
  send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}});
  EXPECT_TRUE(server_.drain(seconds(20)));
  request(3, "ping");
  EXPECT_EQ(receive()["id"], 3);
}

TEST_F(StdioTest, AnIdInUseIsRefusedAndTheFirstCallGoesOn) {
  start();
  initialize();
  request("a", "tools/call", {{"name", "waits"}});
  waiting_.wait();
  request("a", "ping");
  EXPECT_EQ(receive()["error"]["code"], -32600);
  stop_.request_stop();
  EXPECT_EQ(receive()["result"]["content"][0]["text"], "stopped");
}

TEST_F(StdioTest, TheEndOfTheInputEndsOpenCallsAndTheServer) {
  start();
  initialize();
  request(1, "tools/call", {{"name", "waits"}});
  waiting_.wait();
  close_input();
  expect_end(seconds(5));
  EXPECT_EQ(receive()["result"]["content"][0]["text"], "stopped");
}

TEST_F(StdioTest, CallsThatWerePipedInAreAnsweredBeforeTheEnd) {
  request(1, "echo", {{"text", "a"}});
  request(2, "echo", {{"text", "b"}});
  close_input();
  start();
  EXPECT_TRUE(receive()["result"]["ok"]);
  EXPECT_TRUE(receive()["result"]["ok"]);
  expect_end(seconds(5));
}

TEST_F(StdioTest, AClientThatNeverReadsDoesNotKeepTheServerAlive) {
  start();
  const std::string text(1 << 20, 'x');
  for (int i = 0; i < 12; ++i) request(i, "echo", {{"text", text}});
  close_input();
  expect_end(seconds(10));
}

TEST_F(StdioTest, BareCallsGiveTheStructureAlone) {
  start();
  request(1, "echo", {{"text", "hi"}});
  EXPECT_EQ(receive()["result"], (Json{{"ok", true}, {"said", {{"text", "hi"}}}}));
  initialize();
  request(2, "echo", {{"text", "hi"}});
  EXPECT_TRUE(receive()["result"]["ok"]);
}

TEST_F(StdioTest, BareCallsThatFailAreErrorsWithTheErrorObjectAsData) {
  start();
  request(1, "fails");
  const auto error = receive()["error"];
  EXPECT_EQ(error["code"], -32000);
  EXPECT_EQ(error["message"], "there is nothing");
  EXPECT_EQ(error["data"]["code"], "NOT_FOUND");
  EXPECT_EQ(error["data"]["remedy"], "Look elsewhere.");
  request(2, "echo", {{"text", 1}});
  EXPECT_EQ(receive()["error"]["code"], -32602);
}

TEST_F(StdioTest, BrokenLinesGetAnErrorAndDisturbNothing) {
  start();
  for (const std::string bad :
       {"{", "not json", "{\"a\":\"\xff\"}", "{\"jsonrpc\":\"2.0\",\"id\":1"}) {
    write_text(bad + "\n");
    const auto answer = receive();
    EXPECT_EQ(answer["error"]["code"], -32700) << bad;
    EXPECT_TRUE(answer["id"].is_null());
  }
  write_text(std::string(100'000, '[') + "\n");
  EXPECT_EQ(receive()["error"]["code"], -32700);
  write_text("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n");
  EXPECT_EQ(receive()["error"]["code"], -32600);
  write_text("\n  \n");
  request(5, "ping");
  EXPECT_EQ(receive()["id"], 5);
}

TEST_F(StdioTest, ALineBeyondTheLimitIsSkippedWithAnError) {
  start({.line_bytes = 1 << 20});
  write_text(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":")");
  for (int i = 0; i < 100; ++i) write_text(std::string(1 << 20, 'x'));
  write_text("\"}}\n");
  EXPECT_EQ(receive()["error"]["code"], -32600);
  request(2, "ping");
  EXPECT_EQ(receive()["id"], 2);
}

TEST_F(StdioTest, ALargeResultComesWhole) {
  start();
  const std::string text(10 << 20, 'x');
  request(1, "tools/call", modern({{"name", "echo"}, {"arguments", {{"text", text}}}}));
  EXPECT_EQ(receive()["result"]["content"][0]["text"], text);
}

TEST(Stdio, ServesOverASocketToo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  mcp::Server server({.name = "sample", .version = "1.0"});
  std::thread serving([&] { serve_stdio(server, ends[1], ends[1]); });
  const std::string_view ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
  ASSERT_EQ(write(ends[0], ping.data(), ping.size()), static_cast<ssize_t>(ping.size()));
  std::array<char, 200> answer{};
  const auto length = read(ends[0], answer.data(), answer.size());
  EXPECT_EQ(std::string_view(answer.data(), static_cast<std::size_t>(length)),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  shutdown(ends[0], SHUT_WR);
  serving.join();
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace npuprof::transport
