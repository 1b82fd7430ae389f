#include "mcp/subscriptions.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::size_t max_listeners = 1024;

std::string_view name_of(Change change) {
  switch (change) {
    case Change::tools:
      return "notifications/tools/list_changed";
    case Change::prompts:
      return "notifications/prompts/list_changed";
    case Change::resources:
      return "notifications/resources/list_changed";
  }
  return "";
}

}  // namespace

void Subscriptions::watch(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= prune_at_) {
    std::erase_if(sessions_, [](const auto& known) { return known.expired(); });
    prune_at_ = std::max<std::size_t>(64, 2 * sessions_.size());
  }
  sessions_.push_back(session);
}

bool Subscriptions::listen(const std::shared_ptr<Request>& request, Filter filter,
                           Json acknowledged) {
  auto listener = std::make_shared<Listener>();
  listener->request = request;
  listener->filter = std::move(filter);
  {
    const std::lock_guard lock(mutex_);
    if (listeners_.size() >= max_listeners) return false;
    // Under the lock, so that nothing comes before the acknowledgement.
    request->event("notifications/subscriptions/acknowledged",
                   {{"_meta", {{meta::subscription_id, request->id()}}},
                    {"notifications", std::move(acknowledged)}});
    listeners_.emplace(request.get(), listener);
  }
  listener->on_stop = std::make_unique<std::stop_callback<std::function<void()>>>(
      request->stop(), [this, key = request.get()] { remove(key); });
  return true;
}

void Subscriptions::remove(const Request* request) {
  std::shared_ptr<Listener> listener;
  {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(request);
    if (found == listeners_.end()) return;
    listener = std::move(found->second);
    listeners_.erase(found);
  }
  // Dropped where the client itself has gone.
  listener->request->answer({{"_meta", {{meta::subscription_id, listener->request->id()}}}});
}

void Subscriptions::tell(std::string_view method, const Json& params,
                         const std::function<bool(const Filter&)>& wanted) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, listener] : listeners_) {
    if (!wanted(listener->filter)) continue;
    Json own = params;
    own["_meta"][meta::subscription_id] = listener->request->id();
    listener->request->event(method, own);
  }
}

std::vector<std::shared_ptr<Session>> Subscriptions::sessions() {
  std::vector<std::shared_ptr<Session>> alive;
  const std::lock_guard lock(mutex_);
  for (const auto& known : sessions_) {
    if (auto session = known.lock()) alive.push_back(std::move(session));
  }
  return alive;
}

void Subscriptions::list_changed(Change change) {
  const auto text = jsonrpc::notification_text(name_of(change), nullptr);
  for (const auto& session : sessions()) {
    if (session->revision()) session->send(text);
  }
  tell(name_of(change), Json::object(), [change](const Filter& filter) {
    return change == Change::tools     ? filter.tools
           : change == Change::prompts ? filter.prompts
                                       : filter.resources;
  });
}

void Subscriptions::resource_updated(const std::string& uri) {
  const Json params = {{"uri", uri}};
  const auto text = jsonrpc::notification_text("notifications/resources/updated", params);
  for (const auto& session : sessions()) {
    if (session->is_subscribed(uri)) session->send(text);
  }
  tell("notifications/resources/updated", params,
       [&](const Filter& filter) { return filter.uris.contains(uri); });
}

void Subscriptions::task_changed(const std::string& task_id, const Json& task) {
  tell("notifications/tasks", task,
       [&](const Filter& filter) { return filter.tasks.contains(task_id); });
}

}  // namespace npuprof::mcp
