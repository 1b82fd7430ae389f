#pragma once

#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>

#include "core/call_context.hpp"

namespace npuprof::cli {

// One line that is drawn over and over on a terminal. Draws nothing where `terminal` is false.
// Thread-safe.
class ProgressBar {
 public:
  ProgressBar(std::ostream& out, bool terminal);
  ~ProgressBar();  // takes the line away
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);
  void clear();

 private:
  std::ostream& out_;
  const bool terminal_;
  std::mutex mutex_;
  bool drawn_ = false;
};

// The line for `progress`, cut to `width` columns (bytes of UTF-8 never split).
std::string progress_line(const Progress& progress, std::size_t width);

}  // namespace npuprof::cli
