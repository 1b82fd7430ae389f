#include "transport/line_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace npuprof::transport {
namespace {

constexpr std::size_t gathered_limit = 64 << 10;
constexpr std::size_t backlog_limit = 16 << 20;

}  // namespace

LineWriter::LineWriter(int fd) : fd_(fd) {
  struct stat about {};
  if (fstat(fd, &about) != 0) return;
  if (S_ISSOCK(about.st_mode)) {
    is_socket_ = true;
  } else if (S_ISFIFO(about.st_mode)) {
    // A description of our own, since O_NONBLOCK on the given one would be seen by others too.
    own_fd_ =
        open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (own_fd_ >= 0) fd_ = own_fd_;
  }
}

LineWriter::~LineWriter() {
  end();
  if (backlog_writer_.joinable()) backlog_writer_.join();
  if (own_fd_ >= 0) close(own_fd_);
}

void LineWriter::begin_gathering() {
  const std::lock_guard lock(mutex_);
  gatherer_ = std::this_thread::get_id();
}

void LineWriter::end_gathering() {
  const std::lock_guard lock(mutex_);
  gatherer_ = {};
  if (gathered_.empty()) return;
  if (backlog_.empty()) {
    const auto written = try_write(gathered_);
    if (written == gathered_.size()) {
      gathered_.clear();
      return;
    }
    gathered_.erase(0, written);
  }
  put_locked(std::move(gathered_));
  gathered_ = {};
}

bool LineWriter::is_full() const {
  const std::lock_guard lock(mutex_);
  return backlog_bytes_ > backlog_limit && !ended_;
}

bool LineWriter::flush(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return backlog_.empty() || ended_; });
}

void LineWriter::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ended_signal_.raise();
  changed_.notify_all();
}

void LineWriter::write_line(std::string text) {
  std::unique_lock lock(mutex_);
  const bool gathers = gatherer_ == std::this_thread::get_id();
  if (gathers) {
    if (text.size() + gathered_.size() < gathered_limit) {
      gathered_ += text;
      gathered_ += '\n';
      return;
    }
    if (!gathered_.empty()) {
      put_locked(std::move(gathered_));
      gathered_ = {};
    }
  } else {
    changed_.wait(lock, [&] { return backlog_bytes_ <= backlog_limit || ended_; });
  }
  text += '\n';
  put_locked(std::move(text));
}

void LineWriter::put_locked(std::string&& text) {
  if (ended_) return;
  if (backlog_.empty()) {
    const auto written = try_write(text);
    if (written == text.size()) return;
    text.erase(0, written);
  }
  backlog_bytes_ += text.size();
  backlog_.push_back(std::move(text));
  if (!backlog_writer_.joinable()) backlog_writer_ = std::thread([this] { write_backlog(); });
  changed_.notify_all();
}

// How much of it the reader takes now; all of it where the reader is gone.
std::size_t LineWriter::try_write(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && !ended_) {
    const auto rest = bytes.substr(done);
    const auto written = is_socket_
                             ? ::send(fd_, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                             : ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return done;
    } else if (errno != EINTR) {
      ended_ = true;
    }
  }
  return bytes.size();
}

void LineWriter::write_backlog() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ended_ || !backlog_.empty(); });
    if (ended_) return;
    // Only this thread takes from the backlog, so its front stays where it is.
    const std::string& front = backlog_.front();
    lock.unlock();
    std::size_t written = 0;
    while (written < front.size() && !ended_) {
      written += try_write(std::string_view(front).substr(written));
      if (written == front.size()) break;
      std::array<pollfd, 2> waits{{{fd_, POLLOUT, 0}, {ended_signal_.fd(), POLLIN, 0}}};
      poll(waits.data(), waits.size(), -1);
    }
    lock.lock();
    backlog_bytes_ -= front.size();
    backlog_.pop_front();
    if (backlog_bytes_ <= backlog_limit) room_.raise();
    changed_.notify_all();
  }
}

}  // namespace npuprof::transport
