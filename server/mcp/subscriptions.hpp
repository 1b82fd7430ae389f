#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "mcp/request.hpp"

namespace npuprof::mcp {

enum class Change { tools, prompts, resources };

// Who wants to hear of changes: sessions of the legacy era, and open subscriptions/listen requests
// of the modern one. For any thread.
class Subscriptions {
 public:
  void watch(const std::shared_ptr<Session>& session);
  std::vector<std::shared_ptr<Session>> sessions();

  struct Filter {
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string> uris = {};
    std::set<std::string> tasks = {};
  };

  // Acknowledges the request and keeps it open until it is stopped. False where there are too many.
  bool listen(const std::shared_ptr<Request>& request, Filter filter, Json acknowledged);

  void list_changed(Change change);
  void resource_updated(const std::string& uri);
  void task_changed(const std::string& task_id, const Json& task);

 private:
  struct Listener {
    std::shared_ptr<Request> request;
    Filter filter;
    std::unique_ptr<std::stop_callback<std::function<void()>>> on_stop;
  };

  void remove(const Request* request);
  void tell(std::string_view method, const Json& params,
            const std::function<bool(const Filter&)>& wanted);

  std::mutex mutex_;
  std::vector<std::weak_ptr<Session>> sessions_;
  std::size_t prune_at_ = 64;
  std::map<const Request*, std::shared_ptr<Listener>> listeners_;
};

}  // namespace npuprof::mcp
