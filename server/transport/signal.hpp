#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace npuprof::transport {

// Something that poll and epoll can wait for: readable from `raise` to `clear`. For any thread.
class Signal {
 public:
  Signal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Signal() { close(fd_); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  int fd() const { return fd_; }
  void raise() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(fd_, &one, sizeof(one));
  }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = read(fd_, &count, sizeof(count));
  }

 private:
  int fd_;
};

}  // namespace npuprof::transport
