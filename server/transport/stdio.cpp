#include "transport/stdio.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>

#include "jsonrpc/read.hpp"
#include "transport/line_reader.hpp"
#include "transport/line_writer.hpp"
#include "transport/signal.hpp"

namespace npuprof::transport {
namespace {

constexpr std::chrono::milliseconds stop_limit{2000};
constexpr std::chrono::milliseconds finish_limit{300};   // after the end of the input
constexpr std::chrono::milliseconds wind_up_limit{700};  // and then, once asked to stop

class StdioConnection {
 public:
  StdioConnection(mcp::Server& server, int in_fd, int out_fd, StdioLimits limits)
      : server_(server),
        in_fd_(in_fd),
        limits_(limits),
        writer_(std::make_shared<LineWriter>(out_fd)),
        session_(server.open_session(mcp::Session::Kind::stdio, writer_)),
        reader_(limits.depth),
        lines_(limits.line_bytes, jsonrpc::Reader::padding) {}

  void serve(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { stopped_.raise(); });
    while (wait_for_input()) {
      const auto space = lines_.space();
      const auto length = read(in_fd_, space.begin, space.size);
      if (length < 0 && errno == EINTR) continue;
      if (length <= 0) {
        end_of_input();
        break;
      }
      lines_.received(static_cast<std::size_t>(length));
      take_lines();
    }
    session_->close();
    writer_->end();
  }

 private:
  // False where serving ends instead. Nothing is read while the client leaves too much unread, but
  // its going away is noticed.
  bool wait_for_input() {
    while (true) {
      const bool full = writer_->is_full();
      std::array<pollfd, 3> waits{{{in_fd_, static_cast<short>(full ? 0 : POLLIN), 0},
                                   {stopped_.fd(), POLLIN, 0},
                                   {writer_->room_signal().fd(), POLLIN, 0}}};
      if (poll(waits.data(), full ? 3 : 2, -1) < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      if (waits[1].revents != 0) {
        session_->stop_calls();
        server_.drain(stop_limit);
        writer_->flush(wind_up_limit);
        return false;
      }
      if (!full) return true;
      if (waits[0].revents != 0) return false;
      writer_->room_signal().clear();
    }
  }

  // Whoever closed the input may still read the output: a script that pipes its calls in does.
  void end_of_input() {
    if (!server_.drain(finish_limit)) {
      session_->stop_calls();
      server_.drain(wind_up_limit);
    }
    writer_->flush(wind_up_limit);
  }

  // The answers that are ready at once go out together.
  void take_lines() {
    writer_->begin_gathering();
    while (const auto line = lines_.next()) {
      if (line->too_long) {
        refuse({jsonrpc::invalid_request, "the message is longer than " +
                                              std::to_string(limits_.line_bytes) +
                                              " bytes; it was skipped"});
      } else if (line->text.find_first_not_of(" \t\r") != std::string_view::npos) {
        take_message(line->text);
      }
    }
    writer_->end_gathering();
  }

  void take_message(std::string_view text) {
    auto document = reader_.read(text, jsonrpc::Reader::padding);
    if (!document) {
      refuse({jsonrpc::parse_error, "no JSON: " + document.error()});
      return;
    }
    auto message = jsonrpc::message_from(*std::move(document));
    if (!message) {
      writer_->finish({jsonrpc::error_text(message.error().id, message.error().error)});
      return;
    }
    server_.receive(session_, *std::move(message), writer_);
  }

  void refuse(const jsonrpc::RpcError& error) {
    writer_->finish({jsonrpc::error_text(nullptr, error)});
  }

  mcp::Server& server_;
  const int in_fd_;
  const StdioLimits limits_;
  const std::shared_ptr<LineWriter> writer_;
  const std::shared_ptr<mcp::Session> session_;
  jsonrpc::Reader reader_;
  LineReader lines_;
  Signal stopped_;
};

}  // namespace

void serve_stdio(mcp::Server& server, int in_fd, int out_fd, const std::stop_token& stop,
                 StdioLimits limits) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that is gone is an error of write
  StdioConnection(server, in_fd, out_fd, limits).serve(stop);
}

}  // namespace npuprof::transport
