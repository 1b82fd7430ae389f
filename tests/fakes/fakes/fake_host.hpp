#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/error_codes.hpp"
#include "host/host.hpp"

namespace npuprof::fakes {

// A host that answers by rule. The first rule that fits a command answers it: a rule fits when its
// text is found in one of the command's arguments (so also in a script). A command that no rule
// fits exits with 127. Thread-safe.
class FakeHost final : public Host {
 public:
  struct Answer {
    std::string out = {};
    std::string err = {};
    Exit exit = {};
    bool never_ends = false;  // after its output, until it is timed out or cancelled
  };
  // Gets the command and all of its standard input.
  using Reply = std::function<Result<Answer>(const Command&, const std::string& stdin_bytes)>;

  void on(std::string text, Reply reply) {
    const std::lock_guard lock(mutex_);
    rules_.push_back({std::move(text), std::move(reply)});
  }
  void on(std::string text, std::string out, int status = 0, std::string err = {}) {
    on(std::move(text), [=](const Command&, const std::string&) {
      return Answer{.out = out, .err = err, .exit = {.status = status, .signal = {}}};
    });
  }
  void on(std::string text, Error error) {
    on(std::move(text),
       [=](const Command&, const std::string&) -> Result<Answer> { return fail(error); });
  }

  // What has been asked for, in order.
  std::vector<Command> commands() const {
    const std::lock_guard lock(mutex_);
    return commands_;
  }

  std::string description() const override { return "fake host"; }

  Result<std::unique_ptr<Process>> start(const Command& command, const std::stop_token&) override {
    Reply reply = [](const Command&, const std::string&) {
      return Answer{.err = "not found\n", .exit = {.status = 127, .signal = {}}};
    };
    {
      const std::lock_guard lock(mutex_);
      commands_.push_back(command);
      for (const auto& rule : rules_) {
        const bool fits = std::any_of(
            command.argv.begin(), command.argv.end(),
            [&](const auto& argument) { return argument.find(rule.text) != std::string::npos; });
        if (!fits) continue;
        reply = rule.reply;
        break;
      }
    }
    return std::make_unique<FakeProcess>(command, std::move(reply));
  }

 private:
  struct Rule {
    std::string text;
    Reply reply;
  };

  // Answers once its standard input has been closed.
  class FakeProcess final : public Process {
   public:
    FakeProcess(Command command, Reply reply)
        : command_(std::move(command)), reply_(std::move(reply)) {}

    void write(std::string_view bytes) override { stdin_ += bytes; }
    void close_stdin() override { closed_ = true; }

    Result<ProcessEvent> next(std::chrono::steady_clock::time_point,
                              const std::stop_token& stop) override {
      if (stop.stop_requested()) return fail({.code = codes::cancelled, .message = "Cancelled."});
      if (!closed_) return ProcessEvent{};
      if (!answered_) {
        answered_ = true;
        auto answer = reply_(command_, stdin_);
        if (!answer) return fail(std::move(answer.error()));
        if (!answer->out.empty()) {
          events_.push_back({.kind = ProcessEvent::Kind::out, .bytes = answer->out});
        }
        if (!answer->err.empty()) {
          events_.push_back({.kind = ProcessEvent::Kind::err, .bytes = answer->err});
        }
        if (!answer->never_ends) {
          events_.push_back({.kind = ProcessEvent::Kind::exited, .exit = answer->exit});
        }
      }
      if (events_.empty()) return fail({.code = codes::timed_out, .message = "Took too long."});
      ProcessEvent event = std::move(events_.front());
      events_.pop_front();
      return event;
    }

   private:
    Command command_;
    Reply reply_;
    std::string stdin_;
    std::deque<ProcessEvent> events_;
    bool closed_ = false;
    bool answered_ = false;
  };

  mutable std::mutex mutex_;
  std::vector<Rule> rules_;
  std::vector<Command> commands_;
};

}  // namespace npuprof::fakes
