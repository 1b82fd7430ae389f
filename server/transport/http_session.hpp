#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mcp/server.hpp"
#include "transport/event_stream.hpp"

namespace npuprof::transport {

// A session of the legacy era over HTTP: the client's state, and its streams. For any thread.
class HttpSession : public mcp::Outlet {
 public:
  explicit HttpSession(std::string id);

  const std::string& id() const { return id_; }
  const std::shared_ptr<mcp::Session>& session() const { return session_; }
  void set_session(std::shared_ptr<mcp::Session> session) { session_ = std::move(session); }

  // The stream of what belongs to no request.
  const std::shared_ptr<EventStream>& standing() const { return standing_; }
  void send(std::string text) override { standing_->send(text); }

  std::shared_ptr<EventStream> new_stream();
  std::shared_ptr<EventStream> stream(const std::string& name) const;

  void touch();
  std::chrono::steady_clock::time_point last_used() const;
  void end();

 private:
  const std::string id_;
  std::shared_ptr<mcp::Session> session_;
  const std::shared_ptr<EventStream> standing_ = std::make_shared<EventStream>("g");
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<EventStream>> streams_;
  std::uint64_t last_stream_ = 0;
  std::chrono::steady_clock::time_point last_used_;
};

// The sessions by their ids, bounded in number and idle time.
class HttpSessions {
 public:
  HttpSessions(mcp::Server& server, std::size_t max, std::chrono::seconds idle)
      : server_(server), max_(max), idle_(idle) {}

  std::shared_ptr<HttpSession> open();  // null where there are too many
  std::shared_ptr<HttpSession> find(const std::string& id);
  bool end(const std::string& id);
  std::vector<std::shared_ptr<HttpSession>> all() const;

 private:
  mcp::Server& server_;
  const std::size_t max_;
  const std::chrono::seconds idle_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<HttpSession>> sessions_;
};

}  // namespace npuprof::transport
