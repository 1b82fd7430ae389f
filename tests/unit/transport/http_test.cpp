#include "transport/http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <list>
#include <thread>

#include "../mcp/sample_tools.hpp"
#include "http_client.hpp"

namespace npuprof::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class HttpTest : public ::testing::Test {
 protected:
  HttpTest() {
    server_.add(echo_);
    server_.add(waits_);
  }

  ~HttpTest() override {
    stop_.request_stop();
    if (serving_.joinable()) serving_.join();
  }

  void start(HttpOptions options = {}) {
    auto opened = HttpTransport::open(server_, std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    http_ = *std::move(opened);
    serving_ = std::thread([this] { http_->serve(stop_.get_token()); });
  }

  static std::string post_text(const std::string& body, const std::string& headers = "",
                               const std::string& path = "/mcp") {
    return "POST " + path +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
  }

  HttpClient::Response send(const std::string& text) const {
    HttpClient client(http_->port());
    EXPECT_TRUE(client.send_text(text));
    return client.receive();
  }

  HttpClient::Response post(const Json& message, const std::string& headers = "",
                            const std::string& path = "/mcp") const {
    return send(post_text(message.dump(), headers, path));
  }

  static Json rpc(const std::string& method, const Json& params = Json::object(),
                  const Json& id = 1) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  }

  static Json modern(const std::string& method, Json params = Json::object()) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    return rpc(method, params);
  }

  static std::string modern_headers(const std::string& method, const std::string& name = "") {
    return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n" +
           (name.empty() ? "" : "Mcp-Name: " + name + "\r\n");
  }

  std::string open_session(const std::string& revision = "2025-11-25") const {
    const auto answer =
        post(rpc("initialize", {{"protocolVersion", revision},
                                {"capabilities", Json::object()},
                                {"clientInfo", {{"name", "t"}, {"version", "1"}}}}));
    EXPECT_EQ(answer.status, 200);
    return "Mcp-Session-Id: " + answer.header("Mcp-Session-Id") + "\r\n";
  }

  mcp::FunctionTool echo_{
      mcp::spec_of("echo"), [](const Json& arguments, CallContext&) {
        return ToolResult{.structured = {{"ok", true}}, .text = arguments.value("text", "")};
      }};
  std::latch waiting_{1};
  std::latch stopped_{1};
  mcp::FunctionTool waits_{mcp::spec_of("waits"), [this](const Json&, CallContext& context) {
                             waiting_.count_down();
                             std::mutex mutex;
                             std::unique_lock lock(mutex);
                             std::condition_variable_any never;
                             never.wait(lock, context.stop, [] { return false; });
                             stopped_.count_down();
                             return ToolResult{.structured = {{"ok", true}}, .text = "stopped"};
                           }};
  mcp::Server server_{{.name = "sample", .version = "1.0"}};
  std::unique_ptr<HttpTransport> http_;
  std::stop_source stop_;
  std::thread serving_;
};

TEST_F(HttpTest, HealthNeedsNoTokenAndEverythingElseDoes) {
  HttpOptions options;
  options.access.token = "0123456789abcdef";
  start(options);
  const std::string host = "Host: localhost\r\n";
  EXPECT_EQ(send("GET /healthz HTTP/1.1\r\n" + host + "\r\n").status, 200);
  EXPECT_EQ(post(modern("server/discover"), modern_headers("server/discover")).status, 401);
  EXPECT_EQ(post(rpc("echo"), "", "/rpc").status, 401);
  EXPECT_EQ(send("GET /mcp HTTP/1.1\r\n" + host + "\r\n").status, 401);
  for (const std::string wrong :
       {"Bearer 0123456789abcdee", "Bearer ", "Bearer", "Basic 0123456789abcdef",
        "0123456789abcdef", "Bearer 0123456789abcdef0"}) {
    EXPECT_EQ(post(rpc("echo"), "Authorization: " + wrong + "\r\n", "/rpc").status, 401) << wrong;
  }
  EXPECT_EQ(post(rpc("echo"), "Authorization: bearer 0123456789abcdef\r\n", "/rpc").status, 200);
}

TEST_F(HttpTest, ForeignHostsAndOriginsAreRefused) {
  HttpOptions options;
  options.access.allowed_hosts = {"npu.example"};
  options.access.allowed_origins = {"https://app.example"};
  start(options);
  const auto status = [&](const std::string& host, const std::string& more) {
    return send("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n").status;
  };
  for (const char* host :
       {"localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8765", "npu.example"}) {
    EXPECT_EQ(status(host, ""), 200) << host;
  }
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""}) {
    EXPECT_EQ(status(host, ""), 403) << host;
  }
  EXPECT_EQ(status("localhost", "Origin: http://localhost:3000\r\n"), 200);
  EXPECT_EQ(status("localhost", "Origin: https://app.example\r\n"), 200);
  for (const char* origin : {"http://evil.example", "null", "https://app.example.evil.example",
                             "http://localhost.evil.example", ""}) {
    EXPECT_EQ(status("localhost", std::string("Origin: ") + origin + "\r\n"), 403) << origin;
  }
}

TEST_F(HttpTest, WrongPathsMethodsAndTypesHaveTheirOwnAnswers) {
  start();
  EXPECT_EQ(send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 404);
  EXPECT_EQ(send("PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 405);
  EXPECT_EQ(send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                 "Content-Length: 0\r\n\r\n")
                .status,
            415);
  EXPECT_EQ(send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 "Accept: text/html\r\nContent-Length: 0\r\n\r\n")
                .status,
            406);
  const auto broken = send(post_text("{"));
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(Json::parse(broken.body)["error"]["code"], -32700);
}

TEST_F(HttpTest, AModernCallIsAnsweredByItself) {
  start();
  const auto answer =
      post(modern("tools/call", {{"name", "echo"}, {"arguments", {{"text", "hi"}}}}),
           modern_headers("tools/call", "echo"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(Json::parse(answer.body)["result"]["content"][0]["text"], "hi");
  EXPECT_EQ(answer.header("Mcp-Session-Id"), "");
}

TEST_F(HttpTest, HeadersThatContradictTheBodyAreRefused) {
  start();
  const auto call = modern("tools/call", {{"name", "echo"}});
  for (const auto& headers :
       {std::string("Mcp-Method: tools/call\r\nMcp-Name: echo\r\n"),
        modern_headers("tools/list", "echo"), modern_headers("Tools/Call", "echo"),
        modern_headers("tools/call"), modern_headers("tools/call", "other"),
        modern_headers("tools/call", "=?base64?!!!!?="),
        modern_headers("tools/call", "echo") + "Mcp-Name: other\r\n",
        std::string(
            "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n")}) {
    const auto answer = post(call, headers);
    EXPECT_EQ(answer.status, 400) << headers;
    EXPECT_EQ(Json::parse(answer.body)["error"]["code"], -32020) << headers;
    EXPECT_EQ(Json::parse(answer.body)["id"], 1);
  }
  EXPECT_EQ(post(call, modern_headers("tools/call", "=?base64?ZWNobw==?=")).status, 200);
}

TEST_F(HttpTest, UnknownMethodsOfTheModernEraAreNotFound) {
  start();
  for (const char* method : {"no/such", "ping", "initialize", "logging/setLevel", "tasks/list"}) {
    const auto answer = post(modern(method), modern_headers(method));
    EXPECT_EQ(answer.status, 404) << method;
    EXPECT_EQ(Json::parse(answer.body)["error"]["code"], -32601) << method;
  }
}

TEST_F(HttpTest, GoingAwayCancelsAModernCall) {
  start();
  HttpClient client(http_->port());
  client.send_text(post_text(modern("tools/call", {{"name", "waits"}}).dump(),
                             modern_headers("tools/call", "waits")));
  waiting_.wait();
  client.hang_up();
  stopped_.wait();
}

TEST_F(HttpTest, GoingAwayDoesNotCancelALegacyCallWhoseAnswerCanBeFetchedLater) {
  HttpOptions options;
  options.patience = milliseconds(0);
  start(options);
  const auto session = open_session();
  HttpClient client(http_->port());
  client.send_text(post_text(rpc("tools/call", {{"name", "waits"}}).dump(), session));
  waiting_.wait();
  ASSERT_TRUE(client.read_until("id: "));
  ASSERT_TRUE(client.read_until("\ndata:"));
  const auto& text = client.received();
  const auto begin = text.find("id: ") + 4;
  const auto event = text.substr(begin, text.find('\n', begin) - begin);
  client.hang_up();
  HttpClient again(http_->port());
  again.send_text("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" +
                  session + "Last-Event-ID: " + event + "\r\n\r\n");
  ASSERT_TRUE(again.read_until(":\n\n"));
  EXPECT_FALSE(stopped_.try_wait());
  server_.stop_calls();
  EXPECT_TRUE(again.read_until("stopped"));
}

TEST_F(HttpTest, SessionsAreNeededKnownAndEnded) {
  start();
  EXPECT_EQ(post(rpc("tools/list")).status, 400);
  EXPECT_EQ(post(rpc("tools/list"), "Mcp-Session-Id: 0123\r\n").status, 404);
  const auto session = open_session();
  EXPECT_EQ(post(rpc("tools/list"), session).status, 200);
  EXPECT_EQ(post(rpc("tools/list"), session + "MCP-Protocol-Version: 1999-01-01\r\n").status, 400);
  EXPECT_EQ(post({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}, session).status,
            202);
  EXPECT_EQ(send("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + session + "\r\n").status, 204);
  EXPECT_EQ(post(rpc("tools/list"), session).status, 404);
}

TEST_F(HttpTest, SessionsAreBoundedInNumber) {
  HttpOptions options;
  options.sessions = 2;
  start(options);
  open_session();
  open_session();
  EXPECT_EQ(post(rpc("initialize", {{"protocolVersion", "2025-11-25"}})).status, 503);
}

TEST_F(HttpTest, BatchesAreForTheOneRevisionThatHasThem) {
  start();
  const Json batch = {rpc("ping", Json::object(), 1), rpc("no/such", Json::object(), 2)};
  EXPECT_EQ(post(batch, open_session("2025-06-18")).status, 400);
  const auto answer = post(batch, open_session("2025-03-26"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(Json::parse(answer.body).size(), 2u);
}

TEST_F(HttpTest, BareCallsAreServedAtRpcAlone) {
  start();
  const auto answer = post(rpc("echo", {{"text", "hi"}}), "", "/rpc");
  EXPECT_EQ(Json::parse(answer.body)["result"], (Json{{"ok", true}}));
  const auto unknown = post(rpc("tools/list"), "", "/rpc");
  EXPECT_EQ(Json::parse(unknown.body)["error"]["code"], -32601);
  EXPECT_EQ(post(rpc("echo")).status, 400);
}

TEST_F(HttpTest, OneConnectionServesOneRequestAfterAnother) {
  start();
  HttpClient client(http_->port());
  const auto text = post_text(rpc("echo").dump(), "", "/rpc");
  client.send_text(text + text + text);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.receive().status, 200);
}

TEST_F(HttpTest, WhatIsTooLargeIsRefused) {
  HttpOptions options;
  options.limits.message = {.head_bytes = 4096, .body_bytes = 1 << 20};
  start(options);
  EXPECT_EQ(send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 "Content-Length: 1048577\r\n\r\n")
                .status,
            413);
  EXPECT_EQ(send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(5000, 'x')).status,
            431);
}

TEST_F(HttpTest, HalfOpenAndDrippingConnectionsHoldUpNobody) {
  start();
  std::list<HttpClient> silent;
  std::list<HttpClient> dripping;
  for (int i = 0; i < 200; ++i) {
    silent.emplace_back(http_->port());
    dripping.emplace_back(http_->port());
    dripping.back().send_text("POST /mcp HTTP/1.1\r\nHost: loc");
  }
  for (int round = 0; round < 5; ++round) {
    for (auto& client : dripping) client.send_text("a");
    EXPECT_EQ(post(rpc("echo"), "", "/rpc").status, 200);
  }
}

TEST_F(HttpTest, AFullHouseMakesRoomByDroppingWhoNeverAsked) {
  HttpOptions options;
  options.limits.connections = 8;
  start(options);
  std::list<HttpClient> silent;
  for (int i = 0; i < 8; ++i) silent.emplace_back(http_->port());
  EXPECT_EQ(post(rpc("echo"), "", "/rpc").status, 200);
}

TEST_F(HttpTest, ASlowHeadAndASlowBodyTimeOut) {
  HttpOptions options;
  options.limits.head_time = milliseconds(300);
  options.limits.body_time = milliseconds(300);
  start(options);
  EXPECT_EQ(send("POST /mcp HTTP/1.1\r\n").status, 408);
  EXPECT_EQ(send("POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 "Content-Length: 10\r\n\r\n{")
                .status,
            408);
}

TEST_F(HttpTest, AClientThatNeverReadsIsCutOff) {
  HttpOptions options;
  options.limits.unread_bytes = 1 << 20;
  start(options);
  HttpClient client(http_->port());
  const auto text = post_text(
      rpc("tools/call", {{"name", "echo"}, {"arguments", {{"text", std::string(4 << 20, 'x')}}}})
          .dump(),
      open_session());
  client.send_text(text);
  EXPECT_EQ(post(rpc("echo"), "", "/rpc").status, 200);
}

TEST_F(HttpTest, AStopAnswersOpenCalls) {
  start();
  HttpClient client(http_->port());
  client.send_text(post_text(modern("tools/call", {{"name", "waits"}}).dump(),
                             modern_headers("tools/call", "waits")));
  waiting_.wait();
  stop_.request_stop();
  EXPECT_THAT(client.receive().body, HasSubstr("stopped"));
}

TEST_F(HttpTest, ListeningStartsWithAnAcknowledgementAndHearsOfChanges) {
  start();
  HttpClient client(http_->port());
  client.send_text(post_text(
      modern("subscriptions/listen", {{"notifications", {{"toolsListChanged", true}}}}).dump(),
      modern_headers("subscriptions/listen")));
  ASSERT_TRUE(client.read_until("acknowledged"));
  mcp::FunctionTool another(mcp::spec_of("another"),
                            [](const Json&, CallContext&) { return ToolResult{}; });
  server_.add(another);
  EXPECT_TRUE(client.read_until("notifications/tools/list_changed"));
  server_.remove_tool("another");
  stop_.request_stop();
  EXPECT_TRUE(client.read_until("\"resultType\":\"complete\""));
}

TEST(HttpToken, IsMadeOnceReadableByItsOwnerAlone) {
  std::string folder = (std::filesystem::temp_directory_path() / "npuprof-token-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto file = std::filesystem::path(folder) / "http_token";
  const auto made = http_token(file);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->size(), 64u);
  struct stat about {};
  ASSERT_EQ(stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_EQ(*http_token(file), *made);
  chmod(file.c_str(), 0644);
  EXPECT_FALSE(http_token(file).has_value());
  chmod(file.c_str(), 0600);
  std::ofstream(file) << "short";
  EXPECT_FALSE(http_token(file).has_value());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace npuprof::transport
