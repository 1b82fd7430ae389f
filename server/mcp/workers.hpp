#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace npuprof::mcp {

// Threads that run what may wait. They are started as they are needed, up to a bound; so is the
// queue before them.
class Workers {
 public:
  Workers(std::size_t max_threads, std::size_t max_queued);
  ~Workers();  // runs what is queued, and waits for it

  // False where the queue is full; the work has not been taken then.
  [[nodiscard]] bool post(std::function<void()> work);

  // Waits until nothing runs or is queued; false where that takes longer.
  bool wait_idle(std::chrono::milliseconds limit);

 private:
  void run();

  const std::size_t max_threads_;
  const std::size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable work_there_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  std::size_t waiting_ = 0;  // threads without work
  bool ending_ = false;
};

}  // namespace npuprof::mcp
