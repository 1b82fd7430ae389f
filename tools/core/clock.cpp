#include "core/clock.hpp"

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <string>

namespace npuprof {
namespace {

class RealClock final : public Clock {
 public:
  Steady::time_point steady() const override { return Steady::now(); }
  System::time_point system() const override { return System::now(); }

  bool wait_until(Steady::time_point until, const std::stop_token& stop) override {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_until(lock, stop, until, [] { return false; });
    return Steady::now() >= until;
  }
};

}  // namespace

Clock& real_clock() {
  static RealClock clock;
  return clock;
}

std::string to_iso8601(Clock::System::time_point time) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const auto length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  char millis[8];
  std::snprintf(millis, sizeof(millis), ".%03dZ", static_cast<int>(since_epoch.count() % 1000));
  return std::string(text, length) + millis;
}

}  // namespace npuprof
