#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "core/call_context.hpp"
#include "core/clock.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// What a worker tells those who wait for its run. Thread-safe.
class LiveRun {
 public:
  explicit LiveRun(Record record) : record_(std::move(record)) {}

  void publish(const Record& record, double percent, const std::string& message);
  void finish(const Record& record);  // the worker is through with it

  Record record() const;
  bool finished() const;

  // Reports progress until the worker is through (true), `until`, or a stop.
  bool wait(std::optional<Clock::Steady::time_point> until, CallContext& context);

  // For the worker: requested once somebody wants the run ended.
  std::stop_source& cancel() { return cancel_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Record record_;
  double percent_ = 0;
  std::string message_;
  std::uint64_t version_ = 0;
  bool finished_ = false;
  std::stop_source cancel_;
};

}  // namespace npuprof::run
