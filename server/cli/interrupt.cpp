#include "cli/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <stdexcept>

#include "cli/exit_code.hpp"

namespace npuprof::cli {
namespace {

// A signal handler can reach nothing else.
std::atomic<int> wake_descriptor{-1};
std::atomic<int> signals_seen{0};

constexpr std::uint64_t signal_mark = 1;

void on_signal(int) {
  if (signals_seen.fetch_add(1) > 0) _exit(interrupted);
  [[maybe_unused]] const auto written =
      write(wake_descriptor.load(), &signal_mark, sizeof signal_mark);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() : wake_(eventfd(0, EFD_CLOEXEC)) {
  if (wake_ < 0) throw std::runtime_error("no eventfd for signals");
  wake_descriptor = wake_;
  signals_seen = 0;
  watcher_ = std::jthread([this](const std::stop_token& ending) {
    std::uint64_t count = 0;
    while (read(wake_, &count, sizeof count) < 0) {
    }
    if (!ending.stop_requested()) stop_.request_stop();
  });
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
}

Interrupt::~Interrupt() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  watcher_.request_stop();
  [[maybe_unused]] const auto written = write(wake_, &signal_mark, sizeof signal_mark);
  watcher_.join();
  close(wake_);
}

}  // namespace npuprof::cli
