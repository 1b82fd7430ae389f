#include "host/ssh_channel.hpp"

#include <algorithm>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "host/signal_name.hpp"

namespace npuprof {
namespace {

constexpr std::size_t buffered_at_most = 4 << 20;
constexpr std::size_t read_size = 64 << 10;
constexpr std::size_t write_size = 256 << 10;

// libssh keeps a channel's window at 1.25 MB, which caps a stream at 15 MB/s over 40 ms. The only
// way to widen it is to ask for as much in one read; asking every time would send an adjustment a
// packet, so it is asked once per half a window. Only streams that prove to be long get it.
constexpr std::size_t wide_window = 4 << 20;
constexpr std::size_t long_stream = 512 << 10;

}  // namespace

SshChannel::SshChannel(ssh_session session, std::shared_ptr<SshStream> stream, std::string words,
                       bool urgent)
    : session_(session),
      stream_(std::move(stream)),
      words_(std::move(words)),
      urgent_(urgent),
      channel_(::ssh_channel_new(session)) {
  if (channel_ == nullptr) throw std::bad_alloc();
  ssh_callbacks_init(&callbacks_);
  callbacks_.userdata = this;
  callbacks_.channel_exit_status_function = [](ssh_session, ssh_channel, int status, void* self) {
    static_cast<SshChannel*>(self)->exit_ = Exit{.status = status, .signal = {}};
  };
  callbacks_.channel_exit_signal_function = [](ssh_session, ssh_channel, const char* signal, int,
                                               const char*, const char*, void* self) {
    static_cast<SshChannel*>(self)->exit_ =
        Exit{.status = 128 + signal_number(signal), .signal = signal};
  };
  callbacks_.channel_close_function = [](ssh_session, ssh_channel, void* self) {
    static_cast<SshChannel*>(self)->closed_ = true;
  };
  ::ssh_add_channel_callbacks(channel_, &callbacks_);
}

SshChannel::~SshChannel() {
  ::ssh_remove_channel_callbacks(channel_, &callbacks_);
  ::ssh_channel_free(channel_);
}

SshChannel::State SshChannel::advance(std::vector<char>& buffer, bool& progress) {
  if (phase_ == Phase::opening) {
    const int opened = ::ssh_channel_open_session(channel_);
    if (opened == SSH_AGAIN) return State::busy;
    if (opened != SSH_OK) return State::refused;
    phase_ = Phase::requesting;
    progress = true;
  }
  bool abandoned = false;
  {
    const std::lock_guard lock(stream_->mutex);
    abandoned = stream_->abandoned;
    stream_->requested = !abandoned || stream_->requested;
  }
  if (abandoned) return State::finished;
  if (phase_ == Phase::requesting) {
    const int accepted = ::ssh_channel_request_exec(channel_, words_.c_str());
    if (accepted == SSH_OK) {
      phase_ = Phase::running;
      progress = true;
      const std::lock_guard lock(stream_->mutex);
      stream_->started = true;
      stream_->changed.notify_all();
    } else if (accepted != SSH_AGAIN) {
      const std::lock_guard lock(stream_->mutex);
      stream_->failure = Error{
          .code = codes::channel_refused,
          .message = "The host lets npuprof in, but runs no commands for it (" +
                     clean_host_text(::ssh_get_error(session_), 200) + "). Nothing was run.",
          .remedy = "Use an account that may run commands (no sftp-only or no-shell account).",
          .who = Who::administrator};
      stream_->over = true;
      stream_->changed.notify_all();
      return State::finished;
    }
  }
  // The head of the input goes along with the request: waiting for the answer would cost a round
  // trip.
  if (write()) progress = true;
  if (read(buffer, false)) progress = true;
  if (read(buffer, true)) progress = true;
  if (phase_ == Phase::running && take_end()) {
    progress = true;
    return State::finished;
  }
  return State::busy;
}

bool SshChannel::read(std::vector<char>& buffer, bool is_err) {
  {
    const std::lock_guard lock(stream_->mutex);
    stream_->paused = stream_->buffered >= buffered_at_most;
    if (stream_->paused) return false;
  }
  if (::ssh_channel_poll(channel_, is_err ? 1 : 0) <= 0) return false;
  std::size_t size = read_size;
  if (!is_err && received_ >= long_stream && since_growth_ >= wide_window / 2) {
    size = wide_window;
    since_growth_ = 0;
  }
  if (buffer.size() < size) buffer.resize(size);
  const int count = ::ssh_channel_read_timeout(channel_, buffer.data(),
                                               static_cast<std::uint32_t>(size), is_err ? 1 : 0, 0);
  if (count <= 0) return false;
  const auto bytes = static_cast<std::size_t>(count);
  if (!is_err) {
    received_ += bytes;
    since_growth_ += bytes;
  }
  const std::lock_guard lock(stream_->mutex);
  stream_->buffered += bytes;
  stream_->events.push_back({.kind = is_err ? ProcessEvent::Kind::err : ProcessEvent::Kind::out,
                             .bytes = std::string(buffer.data(), bytes)});
  stream_->changed.notify_all();
  return true;
}

bool SshChannel::write() {
  if (eof_sent_) return false;
  const std::lock_guard lock(stream_->mutex);
  const std::size_t room = ::ssh_channel_window_size(channel_);
  std::string& input = stream_->input;
  const std::size_t size = std::min({input.size() - stream_->sent, room, write_size});
  bool wrote = false;
  if (size > 0) {
    const int taken = ::ssh_channel_write(channel_, input.data() + stream_->sent,
                                          static_cast<std::uint32_t>(size));
    wrote = taken > 0;
    // Less than nothing: the command no longer reads.
    stream_->sent = taken < 0 ? input.size() : stream_->sent + static_cast<std::size_t>(taken);
    if (stream_->sent == input.size()) {
      input.clear();
      stream_->sent = 0;
    }
  }
  if (input.empty() && stream_->input_ends) {
    ::ssh_channel_send_eof(channel_);
    eof_sent_ = true;
    wrote = true;
  }
  return wrote;
}

bool SshChannel::take_end() {
  if (!closed_ || ::ssh_channel_poll(channel_, 0) > 0 || ::ssh_channel_poll(channel_, 1) > 0) {
    return false;
  }
  const std::lock_guard lock(stream_->mutex);
  if (exit_) {
    stream_->events.push_back({.kind = ProcessEvent::Kind::exited, .exit = *exit_});
  } else {
    stream_->failure = Error{.code = codes::connection_lost,
                             .message =
                                 "The host closed the channel of a command without saying "
                                 "how it ended; it may still run.",
                             .remedy = "Try again.",
                             .who = Who::agent,
                             .retryable = true};
  }
  stream_->over = true;
  stream_->changed.notify_all();
  return true;
}

}  // namespace npuprof
