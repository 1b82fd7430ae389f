#include "transport/http_server.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "core/error_codes.hpp"
#include "transport/http_connection.hpp"
#include "transport/signal.hpp"

namespace npuprof::transport {
namespace {

using Clock = std::chrono::steady_clock;
using ConnectionPtr = std::shared_ptr<HttpConnection>;

constexpr std::uint64_t listen_key = 0;
constexpr std::uint64_t wake_key = 1;
constexpr std::uint64_t stop_key = 2;
constexpr std::size_t read_size = 64 << 10;
constexpr std::size_t read_ahead = 64 << 10;  // of further requests while one is answered
constexpr std::chrono::milliseconds tick_time{250};
constexpr std::chrono::seconds drain_time{2};

HttpResponse plain(int status) {
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .body = std::string(reason_of(status)) + "\n"};
}

class Exchange : public HttpExchange {
 public:
  Exchange(const ConnectionPtr& connection, std::uint64_t serial)
      : connection_(connection), serial_(serial) {}

  void respond(HttpResponse response) override {
    if (const auto connection = connection_.lock()) connection->respond(serial_, response);
  }
  void start_stream(HttpResponse head) override {
    if (const auto connection = connection_.lock()) connection->start_stream(serial_, head);
  }
  void write(std::string text) override {
    if (const auto connection = connection_.lock()) connection->write(serial_, std::move(text));
  }
  void end_stream() override {
    if (const auto connection = connection_.lock()) connection->end_stream(serial_);
  }
  void on_disconnect(std::function<void()> callback) override {
    if (const auto connection = connection_.lock()) {
      connection->on_disconnect(serial_, std::move(callback));
    } else {
      callback();
    }
  }
  void on_patience(std::chrono::milliseconds after, std::function<void()> callback) override {
    if (const auto connection = connection_.lock()) {
      connection->on_patience(serial_, after, std::move(callback));
    }
  }

 private:
  const std::weak_ptr<HttpConnection> connection_;
  const std::uint64_t serial_;
};

class EpollServer : public HttpServer {
 public:
  EpollServer(int listener, std::uint16_t port, HttpLimits limits)
      : listener_(listener), port_(port), limits_(limits), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    add(listener_, listen_key);
    add(wakeups_->signal().fd(), wake_key);
    add(stopped_.fd(), stop_key);
  }

  ~EpollServer() override {
    connections_.clear();
    if (listener_ >= 0) close(listener_);
    close(epoll_);
  }

  std::uint16_t port() const override { return port_; }

  void serve(Admit admit, Handler handler, const std::stop_token& stop,
             const std::function<void()>& on_stop, std::chrono::milliseconds grace) override {
    admit_ = std::move(admit);
    handler_ = std::move(handler);
    const std::stop_callback on_request(stop, [this] { stopped_.raise(); });
    auto next_tick = Clock::now() + tick_time;
    std::optional<Clock::time_point> end;
    while (!end || (busy_connections() && Clock::now() < *end)) {
      std::array<epoll_event, 64> events;
      const auto wait =
          std::chrono::ceil<std::chrono::milliseconds>(next_tick - Clock::now()).count();
      const int count = epoll_wait(epoll_, events.data(), events.size(),
                                   static_cast<int>(std::max<std::int64_t>(wait, 0)));
      for (int i = 0; i < count; ++i) {
        const auto& event = events[static_cast<std::size_t>(i)];
        if (event.data.u64 == stop_key) {
          if (end) continue;
          epoll_ctl(epoll_, EPOLL_CTL_DEL, stopped_.fd(), nullptr);
          close(listener_);
          listener_ = -1;
          end = Clock::now() + grace;
          on_stop();
        } else if (event.data.u64 == listen_key) {
          accept_all();
        } else if (event.data.u64 == wake_key) {
          for (const auto id : wakeups_->take()) look_at(id, 0);
        } else {
          look_at(event.data.u64, event.events);
        }
      }
      if (const auto now = Clock::now(); now >= next_tick) {
        next_tick = now + tick_time;
        tick(now);
      }
    }
    while (!connections_.empty()) drop(connections_.begin()->second);
  }

 private:
  void add(int fd, std::uint64_t key) const {
    epoll_event event{};
    event.events = EPOLLIN | (key > stop_key ? EPOLLRDHUP : 0U);
    event.data.u64 = key;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  bool busy_connections() const {
    for (const auto& [id, connection] : connections_) {
      if (connection->busy()) return true;
    }
    return false;
  }

  void accept_all() {
    while (listener_ >= 0) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE) make_room();
        return;
      }
      if (connections_.size() >= limits_.connections && !make_room()) {
        const auto response = plain(503);
        const auto text = head_text(response, false, false) + response.body;
        [[maybe_unused]] const auto sent =
            ::send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        close(fd);
        continue;
      }
      const int one = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
      const auto id = next_id_++;
      connections_.emplace(id, std::make_shared<HttpConnection>(id, fd, epoll_, limits_, wakeups_));
      add(fd, id);
    }
  }

  // Closes the connection that has been waiting longest; one that never sent a request goes first.
  bool make_room() {
    ConnectionPtr worst;
    for (const auto& [id, connection] : connections_) {
      if (connection->busy()) continue;
      if (!worst || std::pair(connection->seen_request, connection->since) <
                        std::pair(worst->seen_request, worst->since)) {
        worst = connection;
      }
    }
    if (worst) drop(worst);
    return worst != nullptr;
  }

  void look_at(std::uint64_t id, std::uint32_t events) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    const ConnectionPtr connection = found->second;
    if ((events & EPOLLOUT) != 0) connection->flush();
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && !receive(*connection)) {
      drop(connection);
      return;
    }
    if (!connection->draining) process(connection);
    settle(connection);
  }

  // False where the client is gone.
  bool receive(HttpConnection& connection) {
    while (true) {
      const auto length = recv(connection.fd(), chunk_.data(), chunk_.size(), 0);
      if (length == 0) return false;
      if (length < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
      if (connection.draining) continue;
      if (connection.input.empty() && !connection.busy() && connection.parser.in_head()) {
        connection.since = Clock::now();
      }
      connection.input.append(chunk_.data(), static_cast<std::size_t>(length));
      if (connection.busy() && connection.input.size() > read_ahead) {
        connection.pause_reading(true);
        return true;
      }
      if (static_cast<std::size_t>(length) < chunk_.size()) return true;
      // A body as it comes: what was read is taken before more is.
      if (connection.input.size() >= 16 * read_size) return true;
    }
  }

  void process(const ConnectionPtr& connection) {
    while (!connection->busy() && !connection->finished()) {
      connection->pause_reading(false);
      const auto outcome = connection->parser.feed(connection->input);
      if (outcome.error != 0) {
        refuse(*connection, plain(outcome.error));
        return;
      }
      if (outcome.event == HttpParser::Event::need_more) {
        reserve(*connection, connection->parser.request().body.size());
        if (body_bytes_ > limits_.bodies_bytes) refuse(*connection, plain(503));
        return;
      }
      if (outcome.event == HttpParser::Event::head) {
        connection->since = Clock::now();
        if (auto refusal = admit_(connection->parser.request())) {
          refuse(*connection, *refusal);
          return;
        }
        reserve(*connection, connection->parser.announced_body());
        if (body_bytes_ > limits_.bodies_bytes) {
          refuse(*connection, plain(503));
          return;
        }
        if (connection->parser.expects_continue()) connection->send_continue();
        continue;
      }
      reserve(*connection, 0);
      auto request = connection->parser.take();
      connection->seen_request = true;
      connection->since = Clock::now();
      const auto serial = connection->begin(request.keep_alive && listener_ >= 0);
      handler_(std::move(request), std::make_shared<Exchange>(connection, serial));
      connection->handed_over();
    }
  }

  void reserve(HttpConnection& connection, std::size_t bytes) {
    bytes = std::max(bytes, bytes == 0 ? 0 : connection.reserved);
    body_bytes_ += bytes;
    body_bytes_ -= connection.reserved;
    connection.reserved = bytes;
  }

  void refuse(HttpConnection& connection, const HttpResponse& response) {
    reserve(connection, 0);
    connection.send_refusal(response);
    connection.input = {};
    connection.draining = true;
    connection.since = Clock::now();
  }

  // Closes what is at its end. One that was refused in the middle of a request is drained first, so
  // that the client reads the answer and not a reset.
  void settle(const ConnectionPtr& connection) {
    if (connection->stuck(Clock::now())) {
      drop(connection);
    } else if (connection->finished()) {
      if (connection->draining) {
        shutdown(connection->fd(), SHUT_WR);
      } else {
        drop(connection);
      }
    }
  }

  void tick(Clock::time_point now) {
    std::vector<ConnectionPtr> all;
    all.reserve(connections_.size());
    for (const auto& [id, connection] : connections_) all.push_back(connection);
    for (const auto& connection : all) {
      connection->tick(now);
      const auto waited = now - connection->since;
      if (connection->stuck(now) || (connection->draining && waited > drain_time)) {
        drop(connection);
      } else if (connection->draining || connection->busy()) {
        continue;
      } else if (!connection->parser.in_head()) {
        if (waited > limits_.body_time) time_out(connection);
      } else if (!connection->input.empty()) {
        if (waited > limits_.head_time) time_out(connection);
      } else if (waited > (connection->seen_request ? limits_.idle_time : limits_.head_time)) {
        drop(connection);
      }
    }
  }

  void time_out(const ConnectionPtr& connection) {
    refuse(*connection, plain(408));
    settle(connection);
  }

  void drop(const ConnectionPtr& connection) {
    reserve(*connection, 0);
    const std::uint64_t id = connection->id;
    connection->disconnect();
    connections_.erase(id);
  }

  int listener_;
  const std::uint16_t port_;
  const HttpLimits limits_;
  const int epoll_;
  const std::shared_ptr<HttpWakeups> wakeups_ = std::make_shared<HttpWakeups>();
  Signal stopped_;
  Admit admit_;
  Handler handler_;
  std::unordered_map<std::uint64_t, ConnectionPtr> connections_;
  std::uint64_t next_id_ = stop_key + 1;
  std::size_t body_bytes_ = 0;
  std::array<char, read_size> chunk_;
};

std::uint16_t port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& host, std::uint16_t port,
                                                       HttpLimits limits) {
  const auto no = [&](const std::string& why) {
    return fail({.code = codes::io_error,
                 .message = "can't listen on " + host + ":" + std::to_string(port) + ": " + why,
                 .remedy = "Choose another address or port, or end the program that holds it."});
  };
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    return no(gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return no(std::strerror(errno));
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || ::listen(fd, 512) != 0) {
    const std::string why = std::strerror(errno);
    close(fd);
    return no(why);
  }
  return std::make_unique<EpollServer>(fd, port_of(fd), limits);
}

}  // namespace npuprof::transport
