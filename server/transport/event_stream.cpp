#include "transport/event_stream.hpp"

#include <charconv>

namespace npuprof::transport {
namespace {

constexpr std::size_t kept_events = 512;
constexpr std::size_t kept_bytes = 4 << 20;
constexpr char retry[] = "retry: 500\n";  // milliseconds

}  // namespace

bool EventStream::attach(const std::shared_ptr<HttpExchange>& exchange,
                         std::optional<std::uint64_t> after) {
  const std::lock_guard lock(mutex_);
  if (exchange_) return false;
  exchange_ = exchange;
  const auto from = after.value_or(sent_);
  for (const auto& event : kept_) {
    if (event.number > from) write_locked(event);
  }
  if (ended_) {
    exchange_->end_stream();
    exchange_ = nullptr;
  }
  return true;
}

void EventStream::detach(const HttpExchange* exchange) {
  const std::lock_guard lock(mutex_);
  if (exchange_.get() == exchange) exchange_ = nullptr;
}

void EventStream::prime() {
  const std::lock_guard lock(mutex_);
  if (exchange_) {
    exchange_->write(std::string(retry) + "id: " + name_ + "-" + std::to_string(last_) +
                     "\ndata:\n\n");
  }
}

void EventStream::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  kept_.push_back({++last_, message});
  kept_bytes_ += message.size();
  while (kept_.size() > 1 && (kept_.size() > kept_events || kept_bytes_ > kept_bytes)) {
    kept_bytes_ -= kept_.front().message.size();
    kept_.pop_front();
  }
  write_locked(kept_.back());
}

void EventStream::write_locked(const Event& event) {
  if (!exchange_) return;
  exchange_->write("id: " + name_ + "-" + std::to_string(event.number) +
                   "\nevent: message\ndata: " + event.message + "\n\n");
  sent_ = event.number;
}

void EventStream::pause() {
  const std::lock_guard lock(mutex_);
  if (!exchange_) return;
  exchange_->end_stream();
  exchange_ = nullptr;
}

void EventStream::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  if (!exchange_) return;
  exchange_->end_stream();
  exchange_ = nullptr;
}

bool EventStream::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::optional<EventId> event_id_from(const std::string& text) {
  const auto dash = text.rfind('-');
  if (dash == std::string::npos) return std::nullopt;
  EventId id{.stream = text.substr(0, dash)};
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + dash + 1, end, id.number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return id;
}

std::string event_text(const std::string& message) {
  std::string text;
  text.reserve(message.size() + 40);
  text += "event: message\ndata: ";
  text += message;
  text += "\n\n";
  return text;
}

}  // namespace npuprof::transport
