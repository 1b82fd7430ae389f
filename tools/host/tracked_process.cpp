#include "host/tracked_process.hpp"

#include <algorithm>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof {
namespace {

std::string seconds(std::chrono::milliseconds time) {
  if (time.count() % 1000 == 0) return std::to_string(time.count() / 1000) + " s";
  return std::to_string(time.count()) + " ms";
}

}  // namespace

TrackedProcess::TrackedProcess(std::unique_ptr<Process> inner, const Command& command,
                               std::string description,
                               std::chrono::steady_clock::time_point deadline, End end,
                               std::optional<Announcement> announcement, Explain explain)
    : inner_(std::move(inner)),
      program_(clean_host_text(command.argv.front(), 100)),
      description_(std::move(description)),
      timeout_(command.timeout),
      deadline_(deadline),
      end_(std::move(end)),
      announcement_(std::move(announcement)),
      explain_(std::move(explain)) {}

TrackedProcess::~TrackedProcess() {
  if (!ended_) finish();
}

void TrackedProcess::finish() {
  ended_ = true;
  end_(announcement_ ? announcement_->process_id() : std::string());
}

Result<ProcessEvent> TrackedProcess::next(std::chrono::steady_clock::time_point until,
                                          const std::stop_token& stop) {
  while (true) {
    auto event = inner_->next(std::min(until, deadline_), stop);
    if (!event) {
      if (event.error().code == codes::connection_lost) {
        ended_ = true;
      } else if (!ended_) {
        finish();
      }
      return event;
    }
    switch (event->kind) {
      case ProcessEvent::Kind::exited:
        ended_ = true;
        if (announcement_ && !announcement_->is_made()) {
          return fail(explain_(event->exit, announcement_->error_noise() + announcement_->noise()));
        }
        return event;
      case ProcessEvent::Kind::nothing_yet:
        if (std::chrono::steady_clock::now() < deadline_) return event;
        if (!ended_) finish();
        return fail({.code = codes::timed_out,
                     .message = program_ + " on " + description_ + " took longer than " +
                                seconds(timeout_) + " and was ended there.",
                     .remedy = "Allow it more time, or find out what it waits for.",
                     .who = Who::agent,
                     .retryable = true});
      case ProcessEvent::Kind::out:
        if (announcement_) announcement_->strip_out(event->bytes);
        if (!event->bytes.empty()) return event;
        break;
      case ProcessEvent::Kind::err:
        if (announcement_) announcement_->strip_err(event->bytes);
        if (!event->bytes.empty()) return event;
        break;
    }
    if (std::chrono::steady_clock::now() >= until) return ProcessEvent{};
  }
}

}  // namespace npuprof
