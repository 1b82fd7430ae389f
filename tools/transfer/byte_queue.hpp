#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "transfer/byte_source.hpp"

namespace npuprof::transfer {

// Carries a stream from the thread that receives to the thread that unpacks, holding at most
// `capacity` bytes: a full queue makes the sender wait, up to the host.
class ByteQueue final : public ByteSource {
 public:
  explicit ByteQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. False once the reader has given up.
  bool push(std::string bytes);

  // No more will come; with an error, the reader gets it after what is in the queue.
  void close(std::optional<Error> error = {});

  // The reader wants no more.
  void give_up();

  Result<std::string_view> next() override;

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pieces_;
  std::string given_;
  std::size_t size_ = 0;
  bool closed_ = false;
  bool given_up_ = false;
  std::optional<Error> error_;
};

}  // namespace npuprof::transfer
