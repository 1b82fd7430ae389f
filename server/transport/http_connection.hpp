#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "transport/http_server.hpp"
#include "transport/signal.hpp"

namespace npuprof::transport {

// How other threads get the server's thread to look at a connection again.
class HttpWakeups {
 public:
  void post(std::uint64_t connection);
  std::vector<std::uint64_t> take();
  const Signal& signal() const { return signal_; }

 private:
  std::mutex mutex_;
  std::vector<std::uint64_t> posted_;
  Signal signal_;
};

class HttpConnection;

// One client. What is read belongs to the server's thread alone, what is written to anyone: the
// members below `output` are guarded by `mutex`.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  HttpConnection(std::uint64_t id, int fd, int epoll, const HttpLimits& limits,
                 std::shared_ptr<HttpWakeups> wakeups);
  ~HttpConnection();

  const std::uint64_t id;
  const HttpLimits& limits;

  // For the server's thread.
  HttpParser parser;
  std::string input;
  Time since;                 // when what goes on now began: waiting, a head, a body
  bool seen_request = false;  // it has sent a whole request before
  bool draining = false;      // the last answer is out; what still comes is thrown away
  std::size_t reserved = 0;   // of the bytes for bodies

  bool busy() const;
  std::uint64_t begin(bool keep_alive);  // an answer, which speaks with this serial
  void handed_over();  // the handler has returned: what comes later must be posted
  void send_refusal(const HttpResponse& response);  // and close after it
  void send_continue();
  void flush();  // what is kept, as far as the client takes it
  void pause_reading(bool pause);
  bool finished() const;  // all is written, and nothing more is to come
  bool stuck(Time now) const;
  void tick(Time now);  // keep-alive comments and patience
  void disconnect();    // the client is gone: tells the exchange, closes
  int fd() const;

  // For the answer with that serial; without effect where it has ended.
  void respond(std::uint64_t serial, const HttpResponse& response);
  void start_stream(std::uint64_t serial, const HttpResponse& head);
  void write(std::uint64_t serial, std::string text);
  void end_stream(std::uint64_t serial);
  void on_disconnect(std::uint64_t serial, std::function<void()> callback);
  void on_patience(std::uint64_t serial, std::chrono::milliseconds after,
                   std::function<void()> callback);

 private:
  enum class Answer { none, open, stream, ended };

  void put_locked(std::string text);
  bool flush_locked();
  void end_answer_locked();
  void arm_locked();

  const int epoll_;
  const std::shared_ptr<HttpWakeups> wakeups_;
  mutable std::mutex mutex_;
  int fd_;
  Answer answer_ = Answer::none;
  std::uint64_t serial_ = 0;
  bool in_handler_ = false;
  bool keep_alive_ = true;
  bool close_when_written_ = false;
  bool reading_ = true;
  bool waits_to_write_ = false;
  std::deque<std::string> output_;
  std::size_t written_of_front_ = 0;
  std::size_t output_bytes_ = 0;
  Time last_written_;
  std::function<void()> disconnected_;
  std::function<void()> patience_;
  Time patience_until_;
};

std::string head_text(const HttpResponse& response, bool keep_alive, bool stream);

}  // namespace npuprof::transport
