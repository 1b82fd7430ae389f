#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "core/call_context.hpp"
#include "jsonrpc/message.hpp"
#include "mcp/reply.hpp"
#include "mcp/revision.hpp"

namespace npuprof::mcp {

// Names of syslog severity, which the protocol's log levels are; -1 for no such level.
int log_severity(std::string_view name);
std::string_view log_level_name(LogLevel level);

// How the one who serves a call learns that its caller has changed their mind.
struct CallControl {
  std::stop_source stop;
  std::atomic<bool> unwanted = false;  // the client cancelled it or is gone: no answer is sent
};

// One client as the server knows it: the process at the other end of stdio, a session of the legacy
// era over HTTP, or a single HTTP request of the modern one. For any thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  enum class Kind { stdio, http_session, http_request, bare };

  Session(Kind kind, std::shared_ptr<Outlet> outlet);

  Kind kind() const { return kind_; }
  bool takes_bare_calls() const { return kind_ == Kind::stdio || kind_ == Kind::bare; }

  // The legacy handshake. False where there has been one.
  bool initialize(Revision revision, Json capabilities, Json client_info);
  std::optional<Revision> revision() const;
  Json client_capabilities() const;

  // Requests that are being served. An id serves one at a time.
  bool open_call(const Json& id, std::shared_ptr<CallControl> call);
  void close_call(const Json& id);
  void cancel_call(const Json& id);
  void stop_calls();  // they end early, and are answered

  // Asks every open call to stop and every request to the client to end, and sends nothing more.
  void close();
  bool closed() const;

  void send(std::string text);  // outside any request

  // A request to the client; the answer comes through `resolve`. `via` carries the request.
  tl::expected<Json, jsonrpc::RpcError> ask(std::string_view method, const Json& params, Reply& via,
                                            const std::stop_token& stop,
                                            std::chrono::milliseconds limit);
  void resolve(jsonrpc::Message&& message);

  void set_log_level(int severity);
  int log_level() const;

  bool subscribe(const std::string& uri);  // false where there are too many
  void unsubscribe(const std::string& uri);
  bool is_subscribed(const std::string& uri) const;

 private:
  using Reaction = tl::expected<Json, jsonrpc::RpcError>;

  const Kind kind_;
  mutable std::mutex mutex_;
  std::shared_ptr<Outlet> outlet_;  // none once closed
  std::optional<Revision> revision_;
  Json capabilities_ = Json::object();
  Json client_info_;
  std::unordered_map<std::string, std::shared_ptr<CallControl>> open_calls_;
  std::unordered_map<std::string, std::promise<Reaction>> asked_;
  std::uint64_t last_asked_ = 0;
  std::set<std::string> subscriptions_;
  int log_level_ = 6;  // info
  bool closed_ = false;
};

}  // namespace npuprof::mcp
