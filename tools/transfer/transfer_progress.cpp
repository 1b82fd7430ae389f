#include "transfer/transfer_progress.hpp"

#include <cstdio>

namespace npuprof::transfer {

Progress to_progress(const TransferProgress& progress) {
  char text[200];
  int used = std::snprintf(text, sizeof(text), "%s %.1f of %.1f MB, %llu of %llu files",
                           progress.stage.c_str(), static_cast<double>(progress.bytes_done) / 1e6,
                           static_cast<double>(progress.bytes_total) / 1e6,
                           static_cast<unsigned long long>(progress.files_done),
                           static_cast<unsigned long long>(progress.files_total));
  std::string message(text, static_cast<std::size_t>(used));
  if (progress.bytes_per_second > 0) {
    used = std::snprintf(text, sizeof(text), ", %.1f MB/s", progress.bytes_per_second / 1e6);
    message.append(text, static_cast<std::size_t>(used));
  }
  if (progress.seconds_left) {
    used = std::snprintf(text, sizeof(text), ", %.0f s left", *progress.seconds_left);
    message.append(text, static_cast<std::size_t>(used));
  }
  return {.done = static_cast<double>(progress.bytes_done),
          .total = static_cast<double>(progress.bytes_total),
          .message = std::move(message)};
}

}  // namespace npuprof::transfer
