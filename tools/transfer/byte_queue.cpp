#include "transfer/byte_queue.hpp"

namespace npuprof::transfer {

bool ByteQueue::push(std::string bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return size_ < capacity_ || given_up_; });
  if (given_up_) return false;
  size_ += bytes.size();
  pieces_.push_back(std::move(bytes));
  changed_.notify_all();
  return true;
}

void ByteQueue::close(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

void ByteQueue::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  pieces_.clear();
  changed_.notify_all();
}

Result<std::string_view> ByteQueue::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !pieces_.empty() || closed_; });
  if (pieces_.empty()) {
    given_.clear();
    if (error_) return fail(*error_);
    return std::string_view();
  }
  given_ = std::move(pieces_.front());
  pieces_.pop_front();
  size_ -= given_.size();
  changed_.notify_all();
  return std::string_view(given_);
}

}  // namespace npuprof::transfer
