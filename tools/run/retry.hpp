#pragma once

#include <chrono>
#include <random>
#include <stop_token>

#include "core/clock.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// The host could not be reached, or went away: what was asked may or may not have happened.
bool is_connection_error(const Error& error);

// Waiting won't mend it: a key, a login, a container that is not there.
bool is_permanent(const Error& error);

// True where `time` (ISO 8601; empty: never) plus `margin` is over.
bool is_past(const std::string& time, std::chrono::seconds margin, Clock& clock);

// There is still time within the run's own deadline.
bool again_possible(const Record& record, Clock& clock);

// Waits longer each time, with jitter, up to half a minute.
class BackOff {
 public:
  explicit BackOff(Clock& clock) : clock_(clock), random_(std::random_device{}()) {}
  void wait(const std::stop_token& stop);

 private:
  Clock& clock_;
  std::minstd_rand random_;
  std::chrono::milliseconds next_{500};
};

}  // namespace npuprof::run
