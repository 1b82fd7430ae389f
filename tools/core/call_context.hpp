#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/clock.hpp"

namespace npuprof {

struct Progress {
  double done = 0;                   // must grow from one report to the next
  std::optional<double> total = {};  // in the same unit as done, where it is known
  std::string message = {};
};

enum class LogLevel { debug, info, warning, error };

// What a tool may know of the call it serves. The callbacks are never empty and may be called from
// any one thread at a time.
struct CallContext {
  std::stop_token stop =
      {};  // requested when nobody waits for the answer any more; a run that has started goes on
  bool wait_to_end = false;  // the caller has no time limit of its own (a task, the command line)
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  std::function<void(LogLevel, std::string_view)> log = [](LogLevel, std::string_view) {};
};

}  // namespace npuprof
