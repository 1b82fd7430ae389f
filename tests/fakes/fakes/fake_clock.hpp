#pragma once

#include <condition_variable>
#include <mutex>

#include "core/clock.hpp"

namespace npuprof::fakes {

// A clock that moves only when told to. Thread-safe.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(
      System::time_point start = System::time_point(std::chrono::seconds(1772366400)))
      : system_(start) {}

  Steady::time_point steady() const override {
    const std::lock_guard lock(mutex_);
    return steady_;
  }
  System::time_point system() const override {
    const std::lock_guard lock(mutex_);
    return system_;
  }

  bool wait_until(Steady::time_point until, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    const bool reached = changed_.wait(lock, stop, [&] { return steady_ >= until; });
    --waiting_;
    return reached;
  }

  void advance(std::chrono::milliseconds by) {
    const std::lock_guard lock(mutex_);
    steady_ += by;
    system_ += by;
    changed_.notify_all();
  }

  // Moves the system clock alone, as an administrator would.
  void set_system(System::time_point time) {
    const std::lock_guard lock(mutex_);
    system_ = time;
  }

  // Returns once `count` threads wait on this clock; false after 10 s of real time.
  bool await_waiters(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return waiting_ >= count; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Steady::time_point steady_{};
  System::time_point system_;
  int waiting_ = 0;
};

}  // namespace npuprof::fakes
