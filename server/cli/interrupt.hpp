#pragma once

#include <stop_token>
#include <thread>

namespace npuprof::cli {

// Turns Ctrl-C (SIGINT) and SIGTERM into a stop request for as long as it lives; a second one ends
// the program at once with status 130. One object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  int wake_ = -1;
  std::jthread watcher_;
};

}  // namespace npuprof::cli
