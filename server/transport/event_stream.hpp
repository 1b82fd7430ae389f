#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "transport/http_server.hpp"

namespace npuprof::transport {

// A stream of messages to a client of the legacy era, which outlives the connection that carries
// it: its last events are kept, and sent again to who comes back for them. For any thread.
class EventStream {
 public:
  explicit EventStream(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // Sends by this exchange from now on, beginning after event `after` (default: what was not sent
  // yet). False where another exchange is attached.
  bool attach(const std::shared_ptr<HttpExchange>& exchange, std::optional<std::uint64_t> after);
  void detach(const HttpExchange* exchange);

  // An event without content, whose id the client can come back with.
  void prime();
  void send(const std::string& message);
  void pause();  // ends the connection, not the stream
  void end();
  bool ended() const;

 private:
  struct Event {
    std::uint64_t number;
    std::string message;
  };
  void write_locked(const Event& event);

  const std::string name_;
  mutable std::mutex mutex_;
  std::shared_ptr<HttpExchange> exchange_;
  std::deque<Event> kept_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t sent_ = 0;
  bool ended_ = false;
};

// "<stream>-<number>" of a Last-Event-ID.
struct EventId {
  std::string stream;
  std::uint64_t number = 0;
};
std::optional<EventId> event_id_from(const std::string& text);

// An event of a stream that can't be resumed.
std::string event_text(const std::string& message);

}  // namespace npuprof::transport
