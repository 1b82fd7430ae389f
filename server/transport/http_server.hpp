#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/error.hpp"
#include "transport/http_message.hpp"

namespace npuprof::transport {

struct HttpLimits {
  HttpParseLimits message = {};
  std::size_t connections = 512;         // more are answered 503 and closed
  std::size_t bodies_bytes = 256 << 20;  // of all requests that are being read; beyond it 503
  std::size_t unread_bytes = 32 << 20;   // that a client leaves unread before it is cut off
  std::chrono::milliseconds head_time{10'000};   // from the first byte of a request to its head
  std::chrono::milliseconds body_time{60'000};   // from there to its end
  std::chrono::milliseconds idle_time{120'000};  // between requests
  std::chrono::milliseconds keep_alive_every{15'000};  // comments on a silent event stream
};

// The answer to one request: a response as a whole, or an event stream. For any thread; each
// function may come too late (the client is gone), and then does nothing.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual void respond(HttpResponse response) = 0;

  // text/event-stream; `write` takes whole events.
  virtual void start_stream(HttpResponse head) = 0;
  virtual void write(std::string text) = 0;
  virtual void end_stream() = 0;

  // Called once, from the server's thread, when the client goes away before the answer has ended;
  // at once where it is gone already. Set at most once.
  virtual void on_disconnect(std::function<void()> callback) = 0;

  // Called once, from the server's thread, where no answer has begun that long after the request.
  virtual void on_patience(std::chrono::milliseconds after, std::function<void()> callback) = 0;
};

// A small HTTP/1.1 server: one thread and epoll, so that a connection costs a few hundred bytes
// and a slow one holds up nobody. It trusts nothing that a client sends: every length, count and
// time has a bound.
class HttpServer {
 public:
  // Both are called on the server's thread and must not wait. `admit` sees a request's head before
  // its body is read, and may refuse it.
  using Admit = std::function<std::optional<HttpResponse>(const HttpHead&)>;
  using Handler = std::function<void(HttpRequest&&, const std::shared_ptr<HttpExchange>&)>;

  // Listens at once; port 0 takes a free one.
  static Result<std::unique_ptr<HttpServer>> listen(const std::string& host, std::uint16_t port,
                                                    HttpLimits limits = {});
  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;

  // Serves until the stop, then accepts no more; `on_stop` is called (on this thread) so that open
  // requests can be asked to end, and has `grace` to see them answered.
  virtual void serve(Admit admit, Handler handler, const std::stop_token& stop,
                     const std::function<void()>& on_stop, std::chrono::milliseconds grace) = 0;
};

}  // namespace npuprof::transport
