#include "transport/http_session.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace npuprof::transport {
namespace {

constexpr std::size_t kept_streams = 32;

using Clock = std::chrono::steady_clock;

std::string random_id() {
  std::array<unsigned char, 16> bytes;
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
    throw std::runtime_error("no random numbers for a session id");
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string id;
  for (const auto byte : bytes) {
    id += digits[byte >> 4];
    id += digits[byte & 15];
  }
  return id;
}

}  // namespace

HttpSession::HttpSession(std::string id) : id_(std::move(id)), last_used_(Clock::now()) {}

std::shared_ptr<EventStream> HttpSession::new_stream() {
  const std::lock_guard lock(mutex_);
  streams_.push_back(std::make_shared<EventStream>("s" + std::to_string(++last_stream_)));
  if (streams_.size() > kept_streams) {
    const auto over = std::find_if(streams_.begin(), streams_.end(),
                                   [](const auto& stream) { return stream->ended(); });
    if (over != streams_.end()) streams_.erase(over);
  }
  return streams_.back();
}

std::shared_ptr<EventStream> HttpSession::stream(const std::string& name) const {
  if (name == standing_->name()) return standing_;
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) {
    if (stream->name() == name) return stream;
  }
  return nullptr;
}

void HttpSession::touch() {
  const std::lock_guard lock(mutex_);
  last_used_ = Clock::now();
}

Clock::time_point HttpSession::last_used() const {
  const std::lock_guard lock(mutex_);
  return last_used_;
}

void HttpSession::end() {
  session_->close();
  standing_->end();
  std::deque<std::shared_ptr<EventStream>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (const auto& stream : streams) stream->end();
}

std::shared_ptr<HttpSession> HttpSessions::open() {
  std::vector<std::shared_ptr<HttpSession>> expired;
  std::shared_ptr<HttpSession> opened;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    for (auto entry = sessions_.begin(); entry != sessions_.end();) {
      if (now - entry->second->last_used() > idle_) {
        expired.push_back(entry->second);
        entry = sessions_.erase(entry);
      } else {
        ++entry;
      }
    }
    if (sessions_.size() < max_) {
      opened = std::make_shared<HttpSession>(random_id());
      opened->set_session(server_.open_session(mcp::Session::Kind::http_session, opened));
      sessions_.emplace(opened->id(), opened);
    }
  }
  for (const auto& session : expired) session->end();
  return opened;
}

std::shared_ptr<HttpSession> HttpSessions::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second->touch();
  return found->second;
}

bool HttpSessions::end(const std::string& id) {
  std::shared_ptr<HttpSession> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    session = std::move(found->second);
    sessions_.erase(found);
  }
  session->end();
  return true;
}

std::vector<std::shared_ptr<HttpSession>> HttpSessions::all() const {
  std::vector<std::shared_ptr<HttpSession>> sessions;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, session] : sessions_) sessions.push_back(session);
  return sessions;
}

}  // namespace npuprof::transport
