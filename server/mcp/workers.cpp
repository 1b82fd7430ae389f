#include "mcp/workers.hpp"

namespace npuprof::mcp {

Workers::Workers(std::size_t max_threads, std::size_t max_queued)
    : max_threads_(max_threads), max_queued_(max_queued) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_there_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool Workers::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    const bool all_busy = waiting_ <= queue_.size();
    if (all_busy && threads_.size() < max_threads_) {
      threads_.emplace_back([this] { run(); });
      ++waiting_;
    } else if (all_busy && queue_.size() >= max_queued_) {
      return false;
    }
    queue_.push_back(std::move(work));
  }
  work_there_.notify_one();
  return true;
}

bool Workers::wait_idle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, limit, [&] { return queue_.empty() && waiting_ == threads_.size(); });
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_there_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto work = std::move(queue_.front());
    queue_.pop_front();
    --waiting_;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    ++waiting_;
    if (queue_.empty() && waiting_ == threads_.size()) idle_.notify_all();
  }
}

}  // namespace npuprof::mcp
