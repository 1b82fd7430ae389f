#include "host/ssh_process.hpp"

#include "core/error_codes.hpp"

namespace npuprof {

SshProcess::~SshProcess() {
  {
    const std::lock_guard lock(stream_->mutex);
    stream_->abandoned = true;
    stream_->events.clear();
  }
  connection_->wake();
}

Result<ProcessEvent> SshProcess::next(std::chrono::steady_clock::time_point until,
                                      const std::stop_token& stop) {
  ProcessEvent event;
  bool was_paused = false;
  {
    std::unique_lock lock(stream_->mutex);
    stream_->changed.wait_until(lock, stop, until,
                                [&] { return !stream_->events.empty() || stream_->over; });
    if (stop.stop_requested()) {
      return fail({.code = codes::cancelled,
                   .message = "Cancelled; the command was ended on the host.",
                   .who = Who::agent});
    }
    if (stream_->events.empty()) {
      if (stream_->failure) return fail(*stream_->failure);
      return event;
    }
    event = std::move(stream_->events.front());
    stream_->events.pop_front();
    stream_->buffered -= event.bytes.size();
    was_paused = stream_->paused;
    stream_->paused = false;
  }
  if (was_paused) connection_->wake();
  return event;
}

void SshProcess::write(std::string_view bytes) {
  {
    const std::lock_guard lock(stream_->mutex);
    if (stream_->over || stream_->input_ends) return;
    stream_->input += bytes;
  }
  connection_->wake();
}

void SshProcess::close_stdin() {
  {
    const std::lock_guard lock(stream_->mutex);
    stream_->input_ends = true;
  }
  connection_->wake();
}

}  // namespace npuprof
