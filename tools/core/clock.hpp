#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace npuprof {

// The seam to time. Deadlines use `steady`, what people read uses `system`.
class Clock {
 public:
  using Steady = std::chrono::steady_clock;
  using System = std::chrono::system_clock;

  virtual ~Clock() = default;
  virtual Steady::time_point steady() const = 0;
  virtual System::time_point system() const = 0;

  // Returns when `until` is reached or a stop is requested, whichever is first; true if `until` was
  // reached.
  virtual bool wait_until(Steady::time_point until, const std::stop_token& stop) = 0;
};

// The machine's own clock; lives as long as the program.
Clock& real_clock();

// "2026-03-01T12:00:00.000Z"
std::string to_iso8601(Clock::System::time_point time);

}  // namespace npuprof
