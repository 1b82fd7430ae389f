#include "host/ssh_connection.hpp"

#include <libssh/server.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <list>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "host/ssh_channel.hpp"
#include "host/ssh_process.hpp"

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto refusal_pause = std::chrono::milliseconds(150);
constexpr int refusals_at_most = 5;  // in a row, with no other channel open

Error lost(const std::string& host, const std::string& reason, bool may_run) {
  return {.code = codes::connection_lost,
          .message = "The connection to " + host + " was lost" +
                     (reason.empty() ? "" : " (" + reason + ")") +
                     (may_run ? "; the command may still run there." : ". Nothing was run."),
          .remedy = "Try again: npuprof connects anew.",
          .who = Who::agent,
          .retryable = true,
          .details = {{"may_run", may_run}}};
}

}  // namespace

// The thread's own view of the connection.
class SshConnection::Loop {
 public:
  explicit Loop(SshConnection& connection)
      : connection_(connection), session_(connection.session_.get()), event_(::ssh_event_new()) {
    ::ssh_set_counters(session_, &sent_, &received_);
    ::ssh_event_add_session(event_, session_);
    ::ssh_event_add_fd(
        event_, connection_.wake_.get(), POLLIN,
        [](socket_t fd, int, void*) {
          eventfd_t ignored = 0;
          ::eventfd_read(fd, &ignored);
          return 0;
        },
        nullptr);
  }
  ~Loop() {
    channels_.clear();
    ::ssh_event_remove_fd(event_, connection_.wake_.get());
    ::ssh_event_remove_session(event_, session_);
    ::ssh_event_free(event_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run() {
    while (true) {
      {
        const std::lock_guard lock(connection_.mutex_);
        if (connection_.quit_) return;
        for (auto& request : connection_.inbox_) waiting_.push_back(std::move(request));
        connection_.inbox_.clear();
      }
      bool progress = open_waiting();
      progress = advance_all() || progress;
      if (is_broken()) return lose(clean_host_text(::ssh_get_error(session_), 200));
      const auto idle = watch_silence();
      if (idle <= Steady::duration::zero()) return lose("no sign of life");
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(idle).count();
      ::ssh_event_dopoll(event_, progress ? 0 : static_cast<int>(wait));
    }
  }

 private:
  bool open_waiting() {
    bool opened = false;
    for (auto request = waiting_.begin(); request != waiting_.end();) {
      const std::size_t limit = request->urgent ? urgent_channels_at_most : limit_;
      if (channels_.size() >= limit || (!request->urgent && Steady::now() < not_before_)) {
        ++request;
        continue;
      }
      channels_.push_back(std::make_unique<SshChannel>(session_, std::move(request->stream),
                                                       std::move(request->words), request->urgent));
      request = waiting_.erase(request);
      opened = true;
    }
    return opened;
  }

  bool advance_all() {
    bool progress = false;
    for (auto channel = channels_.begin(); channel != channels_.end();) {
      switch ((*channel)->advance(buffer_, progress)) {
        case SshChannel::State::busy:
          if ((*channel)->is_open()) refusals_ = 0;
          ++channel;
          break;
        case SshChannel::State::finished:
          channel = channels_.erase(channel);
          progress = true;
          break;
        case SshChannel::State::refused:
          if (is_broken()) return true;
          refused(**channel);
          channel = channels_.erase(channel);
          break;
      }
    }
    return progress;
  }

  // The host has no room for another session (MaxSessions). While commands of this connection run,
  // one more waits for the end of one of them; where none runs, it is somebody else's turn or the
  // host's wish.
  void refused(SshChannel& channel) {
    const auto open = static_cast<std::size_t>(std::count_if(
        channels_.begin(), channels_.end(), [](const auto& c) { return c->is_open(); }));
    if (open > 0) limit_ = std::max<std::size_t>(1, std::min(limit_, open));
    ++refusals_;
    not_before_ = Steady::now() + refusal_pause * std::min(refusals_, 8);
    const bool give_up = channel.is_urgent() || (open == 0 && refusals_ >= refusals_at_most);
    if (!give_up) {
      waiting_.push_front({channel.stream(), channel.words(), false});
      return;
    }
    const std::lock_guard lock(channel.stream()->mutex);
    channel.stream()->failure =
        Error{.code = codes::channel_refused,
              .message = connection_.description_ + " opened no session for a command (" +
                         clean_host_text(::ssh_get_error(session_), 200) + "). Nothing was run.",
              .remedy =
                  "Too many sessions may be open there (sshd's MaxSessions): close some, or "
                  "raise it.",
              .who = Who::administrator,
              .retryable = true};
    channel.stream()->over = true;
    channel.stream()->changed.notify_all();
  }

  bool is_broken() const {
    return ::ssh_is_connected(session_) == 0 ||
           (::ssh_get_status(session_) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0;
  }

  // Asks for a sign of life after a silence; how long the thread may sleep, or zero where the host
  // is gone. libssh does not tell whether the answer came, so every byte counts.
  Steady::duration watch_silence() {
    const auto now = Steady::now();
    if (received_.in_bytes != bytes_seen_) {
      bytes_seen_ = received_.in_bytes;
      last_byte_ = now;
      // Takes the answer of the request before, so that the next one is really sent.
      if (asked_) ::ssh_send_keepalive(session_);
      asked_ = false;
    }
    const auto silence = now - last_byte_;
    if (silence >= 2 * connection_.keepalive_) return Steady::duration::zero();
    if (silence >= connection_.keepalive_ && !asked_) {
      asked_ = true;
      ::ssh_send_keepalive(session_);
    }
    auto sleep = last_byte_ + connection_.keepalive_ * (asked_ ? 2 : 1) - now;
    if (!waiting_.empty() && now < not_before_) sleep = std::min(sleep, not_before_ - now);
    return std::max<Steady::duration>(sleep, std::chrono::milliseconds(1));
  }

  void lose(const std::string& reason) {
    spdlog::info("the connection to {} was lost: {}", connection_.description_, reason);
    const auto tell = [&](SshStream& stream) {
      const std::lock_guard lock(stream.mutex);
      if (!stream.over) stream.failure = lost(connection_.description_, reason, stream.requested);
      stream.over = true;
      stream.changed.notify_all();
    };
    const std::lock_guard lock(connection_.mutex_);
    connection_.lost_ = true;
    for (const auto& channel : channels_) tell(*channel->stream());
    for (const auto& request : waiting_) tell(*request.stream);
    for (const auto& request : connection_.inbox_) tell(*request.stream);
    waiting_.clear();
    connection_.inbox_.clear();
  }

  SshConnection& connection_;
  ssh_session session_;
  ssh_event event_;
  ssh_counter_struct sent_{};
  ssh_counter_struct received_{};
  std::list<std::unique_ptr<SshChannel>> channels_;
  std::deque<Request> waiting_;
  std::vector<char> buffer_;
  std::size_t limit_ = channels_at_most;
  int refusals_ = 0;
  Steady::time_point not_before_{};
  std::uint64_t bytes_seen_ = 0;
  Steady::time_point last_byte_ = Steady::now();
  bool asked_ = false;
};

std::shared_ptr<SshConnection> SshConnection::over(SshSession session, std::string description,
                                                   std::chrono::milliseconds keepalive) {
  std::shared_ptr<SshConnection> connection(
      new SshConnection(std::move(session), std::move(description), keepalive));
  return connection;
}

SshConnection::SshConnection(SshSession session, std::string description,
                             std::chrono::milliseconds keepalive)
    : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      session_(std::move(session)),
      description_(std::move(description)),
      keepalive_(keepalive),
      thread_([this] { Loop(*this).run(); }) {}

SshConnection::~SshConnection() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake();
  thread_.join();
}

void SshConnection::wake() {
  ::eventfd_write(wake_.get(), 1);
}

bool SshConnection::is_lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

Result<std::unique_ptr<Process>> SshConnection::start(std::string words, std::string input,
                                                      bool urgent, Steady::time_point deadline,
                                                      const std::stop_token& stop) {
  auto stream = std::make_shared<SshStream>();
  stream->input = std::move(input);
  {
    const std::lock_guard lock(mutex_);
    if (lost_) return fail(lost(description_, "", false));
    inbox_.push_back({stream, std::move(words), urgent});
  }
  wake();
  auto process = std::make_unique<SshProcess>(shared_from_this(), stream);
  std::unique_lock lock(stream->mutex);
  const bool answered = stream->changed.wait_until(lock, stop, deadline,
                                                   [&] { return stream->started || stream->over; });
  if (stream->failure) return fail(*stream->failure);
  if (answered) {
    lock.unlock();
    return process;
  }
  lock.unlock();
  process.reset();
  if (stop.stop_requested()) {
    return fail({.code = codes::cancelled,
                 .message = "Cancelled before " + description_ + " started the command.",
                 .who = Who::agent});
  }
  return fail({.code = codes::timed_out,
               .message = description_ + " did not start the command in time.",
               .remedy = "Allow it more time, or let fewer commands run there at once.",
               .who = Who::agent,
               .retryable = true});
}

}  // namespace npuprof
