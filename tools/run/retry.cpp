#include "run/retry.hpp"

#include <algorithm>

#include "core/error_codes.hpp"

namespace npuprof::run {

bool is_connection_error(const Error& error) {
  return error.code == codes::host_unreachable || error.code == codes::connection_lost ||
         error.code == codes::channel_refused || error.code == codes::timed_out ||
         is_permanent(error);
}

bool is_permanent(const Error& error) {
  return error.code == codes::host_key_unknown || error.code == codes::host_key_changed ||
         error.code == codes::auth_failed || error.code == codes::container_unavailable;
}

bool is_past(const std::string& time, std::chrono::seconds margin, Clock& clock) {
  return !time.empty() && to_iso8601(clock.system() - margin) > time;
}

bool again_possible(const Record& record, Clock& clock) {
  return !is_past(record.deadline_at, std::chrono::seconds(0), clock);
}

void BackOff::wait(const std::stop_token& stop) {
  const auto half = next_ / 2;
  const auto jitter =
      std::chrono::milliseconds(random_() % static_cast<std::uint_fast32_t>(half.count() + 1));
  clock_.wait_until(clock_.steady() + half + jitter, stop);
  next_ = std::min(next_ * 2, std::chrono::milliseconds(30'000));
}

}  // namespace npuprof::run
