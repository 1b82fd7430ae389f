#include "transfer/progress_meter.hpp"

#include <algorithm>

namespace npuprof::transfer {
namespace {

using namespace std::chrono_literals;

constexpr auto shortest_pause = 250ms;
constexpr auto rate_over = 5s;

}  // namespace

void ProgressMeter::expect(std::uint64_t bytes_total, std::uint64_t bytes_at_home,
                           std::uint64_t files_total) {
  last_.bytes_total = bytes_total;
  last_.files_total = files_total;
  bytes_at_home_ = bytes_at_home;
}

void ProgressMeter::report(const std::string& stage, bool at_once) {
  if (!sink_) return;
  const auto now = Steady::now();
  if (!at_once && now - reported_ < shortest_pause) return;
  reported_ = now;
  const std::uint64_t received = received_bytes;
  samples_.push_back({now, received});
  while (samples_.size() > 2 && now - samples_.front().time > rate_over) samples_.pop_front();
  const double seconds = std::chrono::duration<double>(now - samples_.front().time).count();

  last_.stage = stage;
  last_.files_done = files_done;
  last_.bytes_done =
      std::max(last_.bytes_done, std::min(bytes_at_home_ + received, last_.bytes_total));
  last_.bytes_per_second =
      seconds > 0 ? static_cast<double>(received - samples_.front().bytes) / seconds : 0;
  last_.seconds_left.reset();
  if (last_.bytes_per_second > 0) {
    last_.seconds_left =
        static_cast<double>(last_.bytes_total - last_.bytes_done) / last_.bytes_per_second;
  }
  sink_(last_);
}

void ProgressMeter::report_bytes(const std::string& stage, std::uint64_t bytes_done,
                                 std::uint64_t bytes_total) {
  if (!sink_ || (Steady::now() - reported_ < shortest_pause && bytes_done < bytes_total)) return;
  reported_ = Steady::now();
  sink_({.stage = stage,
         .bytes_done = bytes_done,
         .bytes_total = bytes_total,
         .files_done = last_.files_done,
         .files_total = last_.files_total,
         .bytes_per_second = 0,
         .seconds_left = std::nullopt});
}

}  // namespace npuprof::transfer
