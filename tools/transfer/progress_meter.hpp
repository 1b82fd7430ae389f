#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "transfer/transfer_progress.hpp"

namespace npuprof::transfer {

// Turns counters into reports: at most four a second, never going back, with the rate over the last
// seconds. `report` is for one thread at a time.
class ProgressMeter {
 public:
  explicit ProgressMeter(const ProgressSink& sink) : sink_(sink) {}

  std::atomic<std::uint64_t> received_bytes = 0;  // by this fetch, after unpacking
  std::atomic<std::uint64_t> wire_bytes = 0;
  std::atomic<std::uint64_t> files_done = 0;

  void expect(std::uint64_t bytes_total, std::uint64_t bytes_at_home, std::uint64_t files_total);
  void report(const std::string& stage, bool at_once = false);
  void report_bytes(const std::string& stage, std::uint64_t bytes_done, std::uint64_t bytes_total);

 private:
  using Steady = std::chrono::steady_clock;
  struct Sample {
    Steady::time_point time;
    std::uint64_t bytes;
  };

  const ProgressSink& sink_;
  TransferProgress last_;
  std::uint64_t bytes_at_home_ = 0;
  Steady::time_point reported_;
  std::deque<Sample> samples_;
};

}  // namespace npuprof::transfer
