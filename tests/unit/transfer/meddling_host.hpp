#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/error_codes.hpp"
#include "host/host.hpp"

// A host in whose work a test meddles. Commands that send files ("streams") are told by their
// script.
class MeddlingHost : public npuprof::Host {
 public:
  explicit MeddlingHost(npuprof::Host& host) : host_(host) {}

  // May change a command before it starts.
  std::function<void(npuprof::Command&, bool is_stream)> before = [](auto&, bool) {};
  // May change what a stream sends; an error breaks it off, std::nullopt leaves it.
  std::function<std::optional<npuprof::Error>(std::string& bytes)> streamed = [](auto&) {
    return std::nullopt;
  };
  std::uint64_t streamed_bytes = 0;

  static npuprof::Error connection_lost() {
    return {.code = npuprof::codes::connection_lost,
            .message = "the connection broke",
            .retryable = true};
  }

  npuprof::Result<std::unique_ptr<npuprof::Process>> start(const npuprof::Command& command,
                                                           const std::stop_token& stop) override {
    npuprof::Command changed = command;
    const auto& script = command.argv.at(2);
    const bool is_stream =
        script.find("tars()") != std::string::npos || script.find("tail -c") != std::string::npos;
    before(changed, is_stream);
    auto process = host_.start(changed, stop);
    if (!process || !is_stream) return process;
    return std::make_unique<Stream>(*this, std::move(*process));
  }
  std::string description() const override { return host_.description(); }

 private:
  class Stream : public npuprof::Process {
   public:
    Stream(MeddlingHost& host, std::unique_ptr<npuprof::Process> inner)
        : host_(host), inner_(std::move(inner)) {}
    npuprof::Result<npuprof::ProcessEvent> next(std::chrono::steady_clock::time_point until,
                                                const std::stop_token& stop) override {
      auto event = inner_->next(until, stop);
      if (!event || event->kind != npuprof::ProcessEvent::Kind::out) return event;
      if (auto error = host_.streamed(event->bytes)) return npuprof::fail(*error);
      host_.streamed_bytes += event->bytes.size();
      return event;
    }
    void write(std::string_view bytes) override { inner_->write(bytes); }
    void close_stdin() override { inner_->close_stdin(); }

   private:
    MeddlingHost& host_;
    std::unique_ptr<npuprof::Process> inner_;
  };

  npuprof::Host& host_;
};
