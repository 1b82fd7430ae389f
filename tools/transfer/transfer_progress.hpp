#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/call_context.hpp"

namespace npuprof::transfer {

// Where a transfer stands. Counts files that are verified, and the bytes of those plus what has
// arrived of the ones under way.
struct TransferProgress {
  std::string stage;  // "manifest", "fetch", "verify", "archive"
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  std::uint64_t files_done = 0;
  std::uint64_t files_total = 0;
  double bytes_per_second = 0;         // over the last seconds
  std::optional<double> seconds_left;  // nothing while it can't be told
};

// Called at most four times a second, from one thread at a time, not always the caller's.
using ProgressSink = std::function<void(const TransferProgress&)>;

// "fetch 120.5 of 981.2 MB, 14 of 3002 files, 88.1 MB/s, 10 s left"; done and total in bytes.
Progress to_progress(const TransferProgress& progress);

}  // namespace npuprof::transfer
