#include "mcp/session.hpp"

#include <array>
#include <condition_variable>

#include "jsonrpc/write.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::size_t max_subscriptions = 1000;

constexpr std::array<std::string_view, 8> severities = {"emergency", "alert",  "critical", "error",
                                                        "warning",   "notice", "info",     "debug"};

std::string key_of(const Json& id) {
  std::string key;
  jsonrpc::append(key, id);
  return key;
}

}  // namespace

int log_severity(std::string_view name) {
  for (std::size_t i = 0; i < severities.size(); ++i) {
    if (severities[i] == name) return static_cast<int>(i);
  }
  return -1;
}

std::string_view log_level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "info";
}

Session::Session(Kind kind, std::shared_ptr<Outlet> outlet)
    : kind_(kind), outlet_(std::move(outlet)) {}

bool Session::initialize(Revision revision, Json capabilities, Json client_info) {
  const std::lock_guard lock(mutex_);
  if (revision_) return false;
  revision_ = revision;
  capabilities_ = std::move(capabilities);
  client_info_ = std::move(client_info);
  return true;
}

std::optional<Revision> Session::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

Json Session::client_capabilities() const {
  const std::lock_guard lock(mutex_);
  return capabilities_;
}

bool Session::open_call(const Json& id, std::shared_ptr<CallControl> call) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    call->unwanted = true;
    call->stop.request_stop();
  }
  return open_calls_.emplace(key_of(id), std::move(call)).second;
}

void Session::close_call(const Json& id) {
  const std::lock_guard lock(mutex_);
  open_calls_.erase(key_of(id));
}

void Session::cancel_call(const Json& id) {
  std::shared_ptr<CallControl> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_calls_.find(key_of(id));
    if (found == open_calls_.end()) return;
    call = found->second;
  }
  call->unwanted = true;
  call->stop.request_stop();
}

void Session::stop_calls() {
  std::unordered_map<std::string, std::shared_ptr<CallControl>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls = open_calls_;
  }
  for (auto& [id, call] : calls) call->stop.request_stop();
}

void Session::close() {
  std::unordered_map<std::string, std::promise<Reaction>> asked;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    outlet_ = nullptr;
    for (auto& [id, call] : open_calls_) call->unwanted = true;
    asked.swap(asked_);
  }
  stop_calls();
  for (auto& [id, promise] : asked) {
    promise.set_value(tl::unexpected<jsonrpc::RpcError>(
        {jsonrpc::internal_error, "the client went away before it answered"}));
  }
}

bool Session::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void Session::send(std::string text) {
  std::shared_ptr<Outlet> outlet;
  {
    const std::lock_guard lock(mutex_);
    outlet = outlet_;
  }
  if (outlet) outlet->send(std::move(text));
}

tl::expected<Json, jsonrpc::RpcError> Session::ask(std::string_view method, const Json& params,
                                                   Reply& via, const std::stop_token& stop,
                                                   std::chrono::milliseconds limit) {
  const auto ended = [](std::string why) {
    return tl::unexpected<jsonrpc::RpcError>({jsonrpc::internal_error, std::move(why)});
  };
  std::future<Reaction> answer;
  Json id;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return ended("the client went away");
    id = ++last_asked_;
    answer = asked_[key_of(id)].get_future();
  }
  via.event(jsonrpc::request_text(id, method, params));
  const std::stop_callback on_stop(stop, [&] {
    jsonrpc::Message gone;
    gone.kind = jsonrpc::Message::Kind::error;
    gone.id = id;
    gone.error = {jsonrpc::internal_error, "the call was cancelled"};
    resolve(std::move(gone));
  });
  if (answer.wait_for(limit) != std::future_status::ready) {
    const std::lock_guard lock(mutex_);
    if (asked_.erase(key_of(id)) > 0) return ended("the client did not answer in time");
  }
  return answer.get();
}

void Session::resolve(jsonrpc::Message&& message) {
  std::promise<Reaction> promise;
  {
    const std::lock_guard lock(mutex_);
    const auto asked = asked_.find(key_of(message.id));
    if (asked == asked_.end()) return;
    promise = std::move(asked->second);
    asked_.erase(asked);
  }
  if (message.kind == jsonrpc::Message::Kind::result) {
    promise.set_value(std::move(message.result));
  } else {
    promise.set_value(tl::unexpected<jsonrpc::RpcError>(std::move(message.error)));
  }
}

void Session::set_log_level(int severity) {
  const std::lock_guard lock(mutex_);
  log_level_ = severity;
}

int Session::log_level() const {
  const std::lock_guard lock(mutex_);
  return log_level_;
}

bool Session::subscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  if (subscriptions_.size() >= max_subscriptions && !subscriptions_.contains(uri)) return false;
  subscriptions_.insert(uri);
  return true;
}

void Session::unsubscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  subscriptions_.erase(uri);
}

bool Session::is_subscribed(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return subscriptions_.contains(uri);
}

}  // namespace npuprof::mcp
