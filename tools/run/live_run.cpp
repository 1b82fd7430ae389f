#include "run/live_run.hpp"

namespace npuprof::run {

void LiveRun::publish(const Record& record, double percent, const std::string& message) {
  const std::lock_guard lock(mutex_);
  record_ = record;
  percent_ = std::max(percent_, percent);
  record_.progress["percent"] = percent_;
  message_ = message;
  ++version_;
  changed_.notify_all();
}

void LiveRun::finish(const Record& record) {
  const std::lock_guard lock(mutex_);
  record_ = record;
  finished_ = true;
  ++version_;
  changed_.notify_all();
}

Record LiveRun::record() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

bool LiveRun::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

bool LiveRun::wait(std::optional<Clock::Steady::time_point> until, CallContext& context) {
  std::unique_lock lock(mutex_);
  std::uint64_t seen = 0;
  double told = -1;
  while (true) {
    const auto news = [&] { return finished_ || version_ != seen; };
    if (until) {
      changed_.wait_until(lock, context.stop, *until, news);
    } else {
      changed_.wait(lock, context.stop, news);
    }
    if (finished_) return true;
    if (context.stop.stop_requested() || version_ == seen) return false;
    seen = version_;
    if (percent_ <= told) continue;
    told = percent_;
    const Progress progress{.done = told, .total = 100, .message = message_};
    lock.unlock();
    context.progress(progress);
    lock.lock();
  }
}

}  // namespace npuprof::run
