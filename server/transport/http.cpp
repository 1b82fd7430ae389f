#include "transport/http.hpp"

#include <mutex>
#include <set>

#include "jsonrpc/read.hpp"
#include "jsonrpc/write.hpp"
#include "mcp/revision.hpp"
#include "transport/http_session.hpp"
#include "transport/mcp_headers.hpp"

namespace npuprof::transport {
namespace {

using mcp::Revision;
using ExchangePtr = std::shared_ptr<HttpExchange>;

constexpr char json_type[] = "application/json";
constexpr char stream_type[] = "text/event-stream";

HttpResponse json_response(int status, std::string body) {
  return {.status = status, .content_type = json_type, .body = std::move(body)};
}

// An error that belongs to no request, or to one that is refused before it is served.
HttpResponse error_response(int status, const Json& id, const jsonrpc::RpcError& error) {
  return json_response(status, jsonrpc::error_text(id, error));
}

bool accepts(const HttpHead& head, std::string_view type) {
  const auto* accept = head.header("accept");
  if (accept == nullptr || accept->find("*/*") != std::string::npos) return true;
  return accept->find(type) != std::string::npos;
}

// The answer to a request that stands alone: JSON, or a stream where something comes before it.
class SingleReply : public mcp::Reply {
 public:
  SingleReply(ExchangePtr exchange, bool may_stream)
      : exchange_(std::move(exchange)), may_stream_(may_stream) {}

  void event(std::string text) override {
    const std::lock_guard lock(mutex_);
    if (start_locked()) exchange_->write(event_text(text));
  }

  void finish(mcp::Answer answer) override {
    const std::lock_guard lock(mutex_);
    if (streaming_) {
      exchange_->write(event_text(answer.text));
      exchange_->end_stream();
    } else {
      exchange_->respond(json_response(answer.http_status, std::move(answer.text)));
    }
    done_ = true;
  }

  void abandon() override {
    const std::lock_guard lock(mutex_);
    exchange_->end_stream();
    exchange_->respond({.status = 202});
    done_ = true;
  }

  void start() {
    const std::lock_guard lock(mutex_);
    start_locked();
  }

 private:
  bool start_locked() {
    if (!may_stream_ || done_) return false;
    if (!streaming_) exchange_->start_stream({.content_type = stream_type});
    streaming_ = true;
    return true;
  }

  const ExchangePtr exchange_;
  const bool may_stream_;
  std::mutex mutex_;
  bool streaming_ = false;
  bool done_ = false;
};

// The answer to a request of a legacy session, whose stream can be resumed.
class SessionReply : public mcp::Reply, public std::enable_shared_from_this<SessionReply> {
 public:
  SessionReply(ExchangePtr exchange, std::shared_ptr<HttpSession> session, bool may_stream,
               bool primes)
      : exchange_(std::move(exchange)),
        session_(std::move(session)),
        may_stream_(may_stream),
        primes_(primes) {}

  void event(std::string text) override {
    const std::lock_guard lock(mutex_);
    if (start_locked()) stream_->send(text);
  }

  void finish(mcp::Answer answer) override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    if (stream_) {
      stream_->send(answer.text);
      stream_->end();
      return;
    }
    auto response = json_response(answer.http_status, std::move(answer.text));
    response.headers = std::move(headers_);
    exchange_->respond(std::move(response));
  }

  void abandon() override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    if (stream_) {
      stream_->end();
    } else {
      exchange_->respond({.status = 202});
    }
  }

  void pause() override {
    const std::lock_guard lock(mutex_);
    if (start_locked()) stream_->pause();
  }

  void start() {
    const std::lock_guard lock(mutex_);
    start_locked();
  }

  void add_header(std::string name, std::string value) {
    headers_.emplace_back(std::move(name), std::move(value));
  }

 private:
  bool start_locked() {
    if (!may_stream_ || done_) return false;
    if (stream_) return true;
    stream_ = session_->new_stream();
    exchange_->start_stream({.content_type = stream_type, .headers = headers_});
    stream_->attach(exchange_, std::nullopt);
    // Older clients take an event without content for a broken message.
    if (primes_) stream_->prime();
    exchange_->on_disconnect(
        [stream = stream_, exchange = exchange_.get()] { stream->detach(exchange); });
    return true;
  }

  const ExchangePtr exchange_;
  const std::shared_ptr<HttpSession> session_;
  const bool may_stream_;
  const bool primes_;
  std::mutex mutex_;
  std::shared_ptr<EventStream> stream_;
  std::vector<std::pair<std::string, std::string>> headers_;
  bool done_ = false;
};

// Collects the answers to a batch; the last one sends them.
class Batch {
 public:
  Batch(ExchangePtr exchange, std::size_t requests)
      : exchange_(std::move(exchange)), left_(requests) {}

  void add(const std::string* answer) {
    const std::lock_guard lock(mutex_);
    if (answer != nullptr) {
      if (!body_.empty()) body_ += ',';
      body_ += *answer;
    }
    if (--left_ == 0) exchange_->respond(json_response(200, "[" + body_ + "]"));
  }

 private:
  const ExchangePtr exchange_;
  std::mutex mutex_;
  std::string body_;
  std::size_t left_;
};

class BatchReply : public mcp::Reply {
 public:
  explicit BatchReply(std::shared_ptr<Batch> batch) : batch_(std::move(batch)) {}
  void event(std::string) override {}
  void finish(mcp::Answer answer) override { batch_->add(&answer.text); }
  void abandon() override { batch_->add(nullptr); }

 private:
  const std::shared_ptr<Batch> batch_;
};

class Transport : public HttpTransport {
 public:
  Transport(mcp::Server& server, HttpOptions options, std::unique_ptr<HttpServer> http)
      : server_(server),
        options_(std::move(options)),
        http_(std::move(http)),
        gate_(options_.access),
        sessions_(server, options_.sessions, options_.session_idle) {}

  ~Transport() override {
    for (const auto& session : sessions_.all()) session->end();
  }

  std::uint16_t port() const override { return http_->port(); }

  void serve(const std::stop_token& stop) override {
    http_->serve([this](const HttpHead& head) { return admit(head); },
                 [this](HttpRequest&& request, const ExchangePtr& exchange) {
                   handle(std::move(request), exchange);
                 },
                 stop, [this] { server_.stop_calls(); }, options_.grace);
    for (const auto& session : sessions_.all()) session->end();
  }

 private:
  std::optional<HttpResponse> admit(const HttpHead& head) const {
    const bool health = head.target == "/healthz";
    if (auto refusal = gate_.check(head, health)) return refusal;
    const bool known = health || head.target == "/mcp" || head.target == "/rpc";
    if (!known) return HttpResponse{.status = 404};
    const bool allowed = health                  ? head.method == "GET"
                         : head.target == "/rpc" ? head.method == "POST"
                                                 : head.method == "POST" || head.method == "GET" ||
                                                       head.method == "DELETE";
    if (!allowed) {
      return HttpResponse{.status = 405,
                          .headers = {{"Allow", health                  ? "GET"
                                                : head.target == "/rpc" ? "POST"
                                                                        : "POST, GET, DELETE"}}};
    }
    if (head.method == "POST") {
      const auto* type = head.header("content-type");
      if (type == nullptr || type->substr(0, sizeof(json_type) - 1) != json_type) {
        return HttpResponse{.status = 415};
      }
      if (!accepts(head, json_type) && !accepts(head, stream_type)) {
        return HttpResponse{.status = 406};
      }
    }
    return std::nullopt;
  }

  void handle(HttpRequest&& request, const ExchangePtr& exchange) {
    if (request.target == "/healthz") {
      exchange->respond(json_response(200, R"({"status":"ok"})"));
    } else if (request.target == "/rpc") {
      post_bare(request, exchange);
    } else if (request.method == "POST") {
      post(request, exchange);
    } else if (request.method == "GET") {
      get(request, exchange);
    } else {
      end_session(request, exchange);
    }
  }

  // The document, or nothing where it was answered with an error.
  std::optional<Json> read_body(HttpRequest& request, const ExchangePtr& exchange) {
    auto& body = request.body;
    const auto size = body.size();
    body.reserve(size + jsonrpc::Reader::padding);
    auto document = reader_.read({body.data(), size}, jsonrpc::Reader::padding);
    if (document) return *std::move(document);
    exchange->respond(
        error_response(400, nullptr, {jsonrpc::parse_error, "no JSON: " + document.error()}));
    return std::nullopt;
  }

  void post(HttpRequest& request, const ExchangePtr& exchange) {
    auto document = read_body(request, exchange);
    if (!document) return;
    if (document->is_array()) {
      post_batch(request, *std::move(document), exchange);
      return;
    }
    auto message = jsonrpc::message_from(*std::move(document));
    if (!message) {
      exchange->respond(error_response(400, message.error().id, message.error().error));
      return;
    }
    const auto* revision_header = request.header("mcp-protocol-version");
    const auto named = revision_header ? mcp::revision_from(*revision_header) : std::nullopt;
    const bool modern_body = message->params.is_object() && message->params.contains("_meta") &&
                             message->params["_meta"].is_object() &&
                             message->params["_meta"].contains(mcp::meta::revision);
    if (modern_body || (named && mcp::is_modern(*named))) {
      post_modern(request, *std::move(message), exchange);
    } else {
      post_legacy(request, *std::move(message), exchange);
    }
  }

  void post_modern(const HttpRequest& request, jsonrpc::Message&& message,
                   const ExchangePtr& exchange) {
    using Kind = jsonrpc::Message::Kind;
    if (message.kind == Kind::notification) {
      exchange->respond({.status = 202});
      return;
    }
    if (message.kind != Kind::request) {
      exchange->respond(error_response(
          400, nullptr, {jsonrpc::invalid_request, "a response answers nothing here"}));
      return;
    }
    if (auto error = modern_mismatch(request, message)) {
      exchange->respond(error_response(400, message.id, *error));
      return;
    }
    const auto reply = std::make_shared<SingleReply>(exchange, accepts(request, stream_type));
    const auto session = server_.open_session(mcp::Session::Kind::http_request, nullptr);
    server_.receive(session, std::move(message), reply);
    // In this era going away is cancelling.
    exchange->on_disconnect([session] { session->close(); });
    exchange->on_patience(options_.patience, [reply] { reply->start(); });
  }

  std::optional<jsonrpc::RpcError> modern_mismatch(const HttpRequest& request,
                                                   const jsonrpc::Message& message) const {
    const auto* header = request.header("mcp-protocol-version");
    if (header == nullptr) {
      return jsonrpc::RpcError{mcp::header_mismatch,
                               "Header mismatch: MCP-Protocol-Version is missing"};
    }
    const auto meta =
        message.params.is_object() ? message.params.find("_meta") : message.params.end();
    if (message.params.is_object() && meta != message.params.end() && meta->is_object()) {
      const auto said = meta->find(mcp::meta::revision);
      if (said != meta->end() && *said != *header) {
        return jsonrpc::RpcError{mcp::header_mismatch,
                                 "Header mismatch: MCP-Protocol-Version is not what _meta says"};
      }
    }
    return header_mismatch(request, message, server_.input_schema(message).get());
  }

  void post_legacy(const HttpRequest& request, jsonrpc::Message&& message,
                   const ExchangePtr& exchange) {
    using Kind = jsonrpc::Message::Kind;
    const bool opens = message.kind == Kind::request && message.method == "initialize";
    const auto* id = request.header("mcp-session-id");
    if (opens && id != nullptr) {
      exchange->respond(error_response(
          400, message.id,
          {jsonrpc::invalid_request, "initialize opens a session; this request names one"}));
      return;
    }
    std::shared_ptr<HttpSession> session;
    if (opens) {
      session = sessions_.open();
      if (!session) {
        exchange->respond(
            error_response(503, message.id, {jsonrpc::server_error, "too many sessions are open"}));
        return;
      }
    } else {
      session = session_of(request, message, exchange);
      if (!session) return;
    }
    if (message.kind != Kind::request) {
      server_.receive(session->session(), std::move(message), nullptr);
      exchange->respond({.status = 202});
      return;
    }
    const auto revision = session->session()->revision();
    const auto reply =
        std::make_shared<SessionReply>(exchange, session, !opens && accepts(request, stream_type),
                                       revision && *revision >= Revision::r2025_11_25);
    if (opens) reply->add_header("Mcp-Session-Id", session->id());
    server_.receive(session->session(), std::move(message), reply);
    if (opens && !session->session()->revision()) {
      sessions_.end(session->id());
      return;
    }
    // Going away is no cancelling in this era: the answer waits in the stream.
    exchange->on_patience(options_.patience, [reply] { reply->start(); });
  }

  // The session that the request names, or null where it was answered with an error.
  std::shared_ptr<HttpSession> session_of(const HttpRequest& request,
                                          const jsonrpc::Message& message,
                                          const ExchangePtr& exchange) {
    const auto* revision = request.header("mcp-protocol-version");
    if (revision != nullptr && !mcp::revision_from(*revision)) {
      exchange->respond(error_response(
          400, message.id,
          {jsonrpc::invalid_request, "MCP-Protocol-Version names no revision served here"}));
      return nullptr;
    }
    const auto* id = request.header("mcp-session-id");
    if (id == nullptr) {
      exchange->respond(error_response(
          400, message.id,
          {message.params.is_object() && message.params.contains("_meta")
               ? jsonrpc::invalid_params
               : jsonrpc::invalid_request,
           "neither an Mcp-Session-Id of an initialized session nor the _meta of revision "
           "2026-07-28"}));
      return nullptr;
    }
    auto session = sessions_.find(*id);
    if (!session) {
      exchange->respond(error_response(
          404, message.id, {jsonrpc::invalid_request, "no such session; initialize a new one"}));
    }
    return session;
  }

  void post_batch(const HttpRequest& request, Json&& documents, const ExchangePtr& exchange) {
    const auto* id = request.header("mcp-session-id");
    const auto session = id ? sessions_.find(*id) : nullptr;
    if (!session || session->session()->revision() != Revision::r2025_03_26 || documents.empty() ||
        documents.size() > max_batch) {
      exchange->respond(
          error_response(400, nullptr,
                         {jsonrpc::invalid_request, "a batch of 1 to " + std::to_string(max_batch) +
                                                        " messages is for revision 2025-03-26 "
                                                        "alone"}));
      return;
    }
    std::vector<jsonrpc::Message> messages;
    std::vector<std::string> refused;
    std::size_t requests = 0;
    for (auto& document : documents) {
      auto message = jsonrpc::message_from(std::move(document));
      if (!message) {
        refused.push_back(jsonrpc::error_text(message.error().id, message.error().error));
        continue;
      }
      requests += message->kind == jsonrpc::Message::Kind::request ? 1 : 0;
      messages.push_back(*std::move(message));
    }
    if (requests + refused.size() == 0) {
      for (auto& message : messages) {
        server_.receive(session->session(), std::move(message), nullptr);
      }
      exchange->respond({.status = 202});
      return;
    }
    const auto batch = std::make_shared<Batch>(exchange, requests + refused.size());
    const auto reply = std::make_shared<BatchReply>(batch);
    for (const auto& text : refused) batch->add(&text);
    for (auto& message : messages) {
      server_.receive(session->session(), std::move(message), reply);
    }
  }

  void get(const HttpRequest& request, const ExchangePtr& exchange) {
    if (!accepts(request, stream_type)) {
      exchange->respond({.status = 406});
      return;
    }
    const auto* revision = request.header("mcp-protocol-version");
    const auto named = revision ? mcp::revision_from(*revision) : std::nullopt;
    if (named && mcp::is_modern(*named)) {
      exchange->respond({.status = 405, .headers = {{"Allow", "POST"}}});
      return;
    }
    const auto session = session_of(request, {}, exchange);
    if (!session) return;
    auto stream = session->standing();
    std::optional<std::uint64_t> after;
    if (const auto* last = request.header("last-event-id")) {
      const auto event = event_id_from(*last);
      auto resumed = event ? session->stream(event->stream) : nullptr;
      if (!resumed) {
        exchange->respond({.status = 404});
        return;
      }
      stream = std::move(resumed);
      after = event->number;
    }
    exchange->start_stream({.content_type = stream_type});
    exchange->write(":\n\n");
    if (!stream->attach(exchange, after)) {
      exchange->end_stream();
      return;
    }
    exchange->on_disconnect([stream, key = exchange.get()] { stream->detach(key); });
  }

  void end_session(const HttpRequest& request, const ExchangePtr& exchange) {
    const auto session = session_of(request, {}, exchange);
    if (!session) return;
    sessions_.end(session->id());
    exchange->respond({.status = 204});
  }

  void post_bare(HttpRequest& request, const ExchangePtr& exchange) {
    auto document = read_body(request, exchange);
    if (!document) return;
    auto message = jsonrpc::message_from(*std::move(document));
    if (!message) {
      exchange->respond(error_response(400, message.error().id, message.error().error));
      return;
    }
    if (message->kind != jsonrpc::Message::Kind::request) {
      exchange->respond({.status = 202});
      return;
    }
    const auto session = server_.open_session(mcp::Session::Kind::bare, nullptr);
    const auto reply = std::make_shared<SingleReply>(exchange, false);
    server_.receive(session, *std::move(message), reply);
    exchange->on_disconnect([session] { session->close(); });
  }

  static constexpr std::size_t max_batch = 100;

  mcp::Server& server_;
  const HttpOptions options_;
  const std::unique_ptr<HttpServer> http_;
  const HttpGate gate_;
  HttpSessions sessions_;
  jsonrpc::Reader reader_;  // of the server's thread
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> HttpTransport::open(mcp::Server& server,
                                                           HttpOptions options) {
  auto http = HttpServer::listen(options.host, options.port, options.limits);
  if (!http) return fail(http.error());
  return std::make_unique<Transport>(server, std::move(options), *std::move(http));
}

}  // namespace npuprof::transport
