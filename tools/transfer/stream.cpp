#include "transfer/stream.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "transfer/byte_queue.hpp"
#include "transfer/remote_scripts.hpp"

namespace npuprof::transfer {
namespace {

using Steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t queue_bytes = 8 << 20;
constexpr std::size_t most_complaints = 16 << 10;
constexpr auto tick_every = 200ms;
constexpr auto silence = 120s;

// Holds a stream to a rate, by making its receiver wait.
class Throttle {
 public:
  explicit Throttle(double mbps) : bytes_per_second_(mbps * 1e6 / 8), begin_(Steady::now()) {}

  void passed(std::size_t bytes, const std::stop_token& stop) {
    if (bytes_per_second_ <= 0) return;
    bytes_ += static_cast<double>(bytes);
    const auto due = begin_ + std::chrono::duration_cast<Steady::duration>(
                                  std::chrono::duration<double>(bytes_ / bytes_per_second_));
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, due, [] { return false; });
  }

 private:
  const double bytes_per_second_;
  const Steady::time_point begin_;
  double bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
};

Result<StreamEnd> receive(Process& process, ByteQueue& queue, Throttle& throttle,
                          std::atomic<std::uint64_t>& wire_bytes, const std::function<void()>& tick,
                          const std::stop_token& stop) {
  StreamEnd end;
  auto heard = Steady::now();
  auto ticked = heard;
  while (true) {
    auto event = process.next(Steady::now() + tick_every, stop);
    if (!event) return fail(event.error());
    const auto now = Steady::now();
    if (now - ticked >= tick_every) {
      ticked = now;
      tick();
    }
    switch (event->kind) {
      case ProcessEvent::Kind::out:
        wire_bytes += event->bytes.size();
        throttle.passed(event->bytes.size(), stop);
        if (!queue.push(std::move(event->bytes))) return end;
        heard = Steady::now();
        break;
      case ProcessEvent::Kind::err:
        end.complaints += event->bytes.substr(
            0, most_complaints - std::min(end.complaints.size(), most_complaints));
        break;
      case ProcessEvent::Kind::exited:
        end.exit = event->exit;
        return end;
      case ProcessEvent::Kind::nothing_yet:
        if (now - heard < silence) break;
        return fail({.code = codes::timed_out,
                     .message = "The host sent nothing for two minutes; what is verified is kept",
                     .remedy = "Look at the host's disk and load, then call again.",
                     .retryable = true});
    }
  }
}

}  // namespace

Result<StreamEnd> stream(Host& host, const Command& command, std::string_view stdin_bytes,
                         double limit_mbps, std::atomic<std::uint64_t>& wire_bytes,
                         const std::function<void()>& tick,
                         const std::function<Result<void>(ByteSource&)>& reader,
                         const std::stop_token& stop) {
  auto process = host.start(command, stop);
  if (!process) return fail(process.error());
  if (!stdin_bytes.empty()) (*process)->write(stdin_bytes);
  (*process)->close_stdin();

  ByteQueue queue(queue_bytes);
  Result<void> read;
  std::thread unpacking([&] {
    read = reader(queue);
    queue.give_up();
  });
  Throttle throttle(limit_mbps);
  auto end = receive(**process, queue, throttle, wire_bytes, tick, stop);
  queue.close(end ? std::nullopt : std::optional(end.error()));
  unpacking.join();
  if (!end) return end;
  if (!read) {
    Error error = read.error();
    if (error.code == codes::archive_broken && !end->complaints.empty()) {
      error.message += " (the host says: " + clean_host_text(end->complaints, 1'000) + ")";
    }
    return fail(std::move(error));
  }
  return end;
}

double measure_link(Host& host, std::atomic<std::uint64_t>& wire_bytes,
                    const std::stop_token& stop) {
  constexpr auto longest = 150ms;
  auto command = remote_scripts::command(remote_scripts::zeros, {"6291456"});
  command.timeout = 20s;
  auto process = host.start(command, stop);
  if (!process) return 0;
  (*process)->close_stdin();
  std::uint64_t bytes = 0;
  std::optional<Steady::time_point> begin;
  Steady::time_point end;
  while (true) {
    const auto until = begin ? *begin + longest : Steady::now() + 5s;
    auto event = (*process)->next(until, stop);
    if (!event || event->kind != ProcessEvent::Kind::out) break;
    wire_bytes += event->bytes.size();
    end = Steady::now();
    if (begin) {
      bytes += event->bytes.size();
    } else {
      begin = end;  // what came with the first piece took a time that is not known
    }
    if (end - *begin > longest) break;
  }
  const double seconds = begin ? std::chrono::duration<double>(end - *begin).count() : 0;
  return seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
}

}  // namespace npuprof::transfer
