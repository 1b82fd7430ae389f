#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/call_context.hpp"
#include "jsonrpc/message.hpp"
#include "mcp/reply.hpp"
#include "mcp/revision.hpp"
#include "mcp/session.hpp"

namespace npuprof::mcp {

// What every modern result carries.
struct Stamp {
  Json server_info;
  std::string tail;  // `,"resultType":"complete","_meta":{...}`
};

// How long a client may keep a result, in the modern era.
struct Caching {
  std::uint64_t ttl_ms = 0;
  bool is_public = false;
};

// One request while it is served: what a handler may know of it, and do for it. Its answer is given
// once; what comes later is dropped. For any thread.
class Request {
 public:
  Request(std::shared_ptr<const Stamp> stamp, std::shared_ptr<Session> session,
          std::shared_ptr<Reply> reply, jsonrpc::Message&& message);
  ~Request();

  const Json& id() const { return id_; }
  const std::string& method() const { return method_; }
  const Json& params() const { return params_; }
  Session& session() const { return *session_; }
  const std::shared_ptr<Session>& shared_session() const { return session_; }
  const std::shared_ptr<Reply>& reply() const { return reply_; }

  // `_meta` of the request: an object, empty where there is none.
  const Json& meta() const;

  Revision revision() const { return revision_; }
  bool modern() const { return is_modern(revision_); }
  bool bare() const { return bare_; }

  // A client capability by its path: "sampling", "elicitation/url".
  bool client_can(std::string_view path) const;
  const Json& client_capabilities() const { return capabilities_; }

  std::stop_token stop() const { return control_->stop.get_token(); }

  // A notification that belongs to this request; dropped once it is answered.
  void event(std::string_view method, const Json& params);

  // Sent only where the client gave a token for it, and only while `done` grows.
  void progress(double done, std::optional<double> total, const std::string& message);

  // Sent where the client wants messages of this level.
  void log(std::string_view level, std::string_view logger, const Json& data);

  // Legacy era: asks the client and waits. The modern era has InputRequired for this.
  tl::expected<Json, jsonrpc::RpcError> ask(std::string_view method, const Json& params);

  // The client's answers to an earlier InputRequired, by key, and the state it carried.
  const Json& input_responses() const { return input_responses_; }
  const Json& state() const { return state_; }

  // Lets an HTTP client of 2025-11-25 reconnect for the rest.
  void pause_stream() { reply_->pause(); }

  // The answer. `answer` adds what the era asks for; `answer_text` takes a whole message.
  void answer(Json result);
  void answer(Json result, Caching caching);
  void answer_text(std::string text);
  void fail(const jsonrpc::RpcError& error);
  void fail(const jsonrpc::RpcError& error, int http_status);
  bool answered() const;

  // The same call as the work of a task: with a control of its own, and without progress.
  std::shared_ptr<Request> detached(std::shared_ptr<Reply> reply) const;
  bool as_task() const { return as_task_; }

  // For those who set a request up.
  void settle(Revision revision, Json capabilities);
  void settle_bare() { bare_ = true; }
  void set_continuation(Json responses, Json state);
  bool open();  // false where the id is in use
  const std::shared_ptr<CallControl>& control() const { return control_; }
  const Stamp& stamp() const { return *stamp_; }

 private:
  void finish(Answer answer);

  const std::shared_ptr<const Stamp> stamp_;
  const std::shared_ptr<Session> session_;
  const std::shared_ptr<Reply> reply_;
  Json id_;
  std::string method_;
  Json params_;
  Json capabilities_ = Json::object();
  Json input_responses_ = Json::object();
  Json state_ = nullptr;
  Revision revision_ = newest_legacy;
  bool bare_ = false;
  bool open_ = false;
  bool as_task_ = false;
  const std::shared_ptr<CallControl> control_ = std::make_shared<CallControl>();
  mutable std::mutex mutex_;
  double last_progress_ = -std::numeric_limits<double>::infinity();
  bool answered_ = false;
};

}  // namespace npuprof::mcp
