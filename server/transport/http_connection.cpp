#include "transport/http_connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace npuprof::transport {
namespace {

constexpr std::chrono::seconds stuck_time{60};  // without the client reading anything

using Clock = std::chrono::steady_clock;

}  // namespace

void HttpWakeups::post(std::uint64_t connection) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(connection);
  }
  signal_.raise();
}

std::vector<std::uint64_t> HttpWakeups::take() {
  signal_.clear();
  const std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

std::string head_text(const HttpResponse& response, bool keep_alive, bool stream) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
  text += reason_of(response.status);
  text += "\r\n";
  if (!response.content_type.empty()) text += "Content-Type: " + response.content_type + "\r\n";
  for (const auto& [name, value] : response.headers) text += name + ": " + value + "\r\n";
  if (stream) {
    text += "Transfer-Encoding: chunked\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
  } else if (response.status != 204) {
    text += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  if (!keep_alive) text += "Connection: close\r\n";
  text += "\r\n";
  return text;
}

HttpConnection::HttpConnection(std::uint64_t number, int fd, int epoll, const HttpLimits& bounds,
                               std::shared_ptr<HttpWakeups> wakeups)
    : id(number),
      limits(bounds),
      parser(bounds.message),
      since(Clock::now()),
      epoll_(epoll),
      wakeups_(std::move(wakeups)),
      fd_(fd),
      last_written_(since) {}

HttpConnection::~HttpConnection() {
  if (fd_ >= 0) close(fd_);
}

int HttpConnection::fd() const {
  const std::lock_guard lock(mutex_);
  return fd_;
}

bool HttpConnection::busy() const {
  const std::lock_guard lock(mutex_);
  return answer_ == Answer::open || answer_ == Answer::stream;
}

std::uint64_t HttpConnection::begin(bool keep_alive) {
  const std::lock_guard lock(mutex_);
  answer_ = Answer::open;
  in_handler_ = true;
  keep_alive_ = keep_alive;
  disconnected_ = nullptr;
  patience_ = nullptr;
  return ++serial_;
}

void HttpConnection::handed_over() {
  const std::lock_guard lock(mutex_);
  in_handler_ = false;
}

void HttpConnection::send_refusal(const HttpResponse& response) {
  const std::lock_guard lock(mutex_);
  auto text = head_text(response, false, false);
  text += response.body;
  close_when_written_ = true;
  put_locked(std::move(text));
}

void HttpConnection::send_continue() {
  const std::lock_guard lock(mutex_);
  put_locked("HTTP/1.1 100 Continue\r\n\r\n");
}

void HttpConnection::respond(std::uint64_t serial, const HttpResponse& response) {
  const std::lock_guard lock(mutex_);
  if (serial != serial_ || answer_ != Answer::open) return;
  const bool keep = keep_alive_ && !response.close;
  auto text = head_text(response, keep, false);
  if (!keep) close_when_written_ = true;
  if (response.body.size() < (16 << 10)) {
    text += response.body;
    put_locked(std::move(text));
  } else {
    put_locked(std::move(text));
    put_locked(response.body);
  }
  end_answer_locked();
}

void HttpConnection::start_stream(std::uint64_t serial, const HttpResponse& head) {
  const std::lock_guard lock(mutex_);
  if (serial != serial_ || answer_ != Answer::open) return;
  answer_ = Answer::stream;
  put_locked(head_text(head, keep_alive_, true));
}

void HttpConnection::write(std::uint64_t serial, std::string text) {
  const std::lock_guard lock(mutex_);
  if (serial != serial_ || answer_ != Answer::stream || text.empty()) return;
  constexpr char digits[] = "0123456789abcdef";
  std::string size;
  for (std::size_t rest = text.size(); rest > 0; rest >>= 4) size.insert(0, 1, digits[rest & 15]);
  size += "\r\n";
  text.insert(0, size);
  text += "\r\n";
  put_locked(std::move(text));
}

void HttpConnection::end_stream(std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  if (serial != serial_ || answer_ != Answer::stream) return;
  if (!keep_alive_) close_when_written_ = true;
  put_locked("0\r\n\r\n");
  end_answer_locked();
}

void HttpConnection::end_answer_locked() {
  answer_ = Answer::ended;
  disconnected_ = nullptr;
  patience_ = nullptr;
  if (!in_handler_) wakeups_->post(id);
}

void HttpConnection::on_disconnect(std::uint64_t serial, std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (fd_ >= 0) {
      const bool open = answer_ == Answer::open || answer_ == Answer::stream;
      if (serial == serial_ && open) disconnected_ = std::move(callback);
      return;
    }
  }
  callback();
}

void HttpConnection::on_patience(std::uint64_t serial, std::chrono::milliseconds after,
                                 std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  if (serial != serial_ || answer_ != Answer::open) return;
  patience_ = std::move(callback);
  patience_until_ = Clock::now() + after;
}

void HttpConnection::put_locked(std::string text) {
  if (fd_ < 0) return;
  output_bytes_ += text.size();
  output_.push_back(std::move(text));
  if (output_.size() == 1) last_written_ = Clock::now();
  if (!waits_to_write_ && !flush_locked()) {
    waits_to_write_ = true;
    arm_locked();
  }
  if (output_bytes_ > limits.unread_bytes) wakeups_->post(id);
}

// True where all is written.
bool HttpConnection::flush_locked() {
  while (!output_.empty() && fd_ >= 0) {
    const auto& front = output_.front();
    const auto sent = ::send(fd_, front.data() + written_of_front_,
                             front.size() - written_of_front_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
      output_.clear();  // the reader's side finds out that the client is gone
      output_bytes_ = written_of_front_ = 0;
      close_when_written_ = true;
      wakeups_->post(id);
      return true;
    }
    last_written_ = Clock::now();
    output_bytes_ -= static_cast<std::size_t>(sent);
    written_of_front_ += static_cast<std::size_t>(sent);
    if (written_of_front_ == front.size()) {
      output_.pop_front();
      written_of_front_ = 0;
    }
  }
  return true;
}

void HttpConnection::flush() {
  const std::lock_guard lock(mutex_);
  if (flush_locked() && waits_to_write_) {
    waits_to_write_ = false;
    arm_locked();
  }
}

void HttpConnection::pause_reading(bool pause) {
  const std::lock_guard lock(mutex_);
  if (reading_ == !pause) return;
  reading_ = !pause;
  arm_locked();
}

void HttpConnection::arm_locked() {
  if (fd_ < 0) return;
  epoll_event event{};
  event.events = EPOLLRDHUP;
  if (reading_) event.events |= EPOLLIN;
  if (waits_to_write_) event.events |= EPOLLOUT;
  event.data.u64 = id;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd_, &event);
}

bool HttpConnection::finished() const {
  const std::lock_guard lock(mutex_);
  return close_when_written_ && output_.empty();
}

bool HttpConnection::stuck(Time now) const {
  const std::lock_guard lock(mutex_);
  return output_bytes_ > limits.unread_bytes ||
         (!output_.empty() && now - last_written_ > stuck_time);
}

void HttpConnection::tick(Time now) {
  std::function<void()> impatient;
  {
    const std::lock_guard lock(mutex_);
    if (answer_ == Answer::stream && output_.empty() &&
        now - last_written_ > limits.keep_alive_every) {
      put_locked("3\r\n:\n\n\r\n");
    }
    if (answer_ == Answer::open && patience_ && now >= patience_until_) {
      impatient = std::exchange(patience_, nullptr);
    }
  }
  if (impatient) impatient();
}

void HttpConnection::disconnect() {
  std::function<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    if (fd_ < 0) return;
    close(fd_);
    fd_ = -1;
    output_.clear();
    output_bytes_ = 0;
    answer_ = Answer::ended;
    callback = std::exchange(disconnected_, nullptr);
    patience_ = nullptr;
  }
  if (callback) callback();
}

}  // namespace npuprof::transport
