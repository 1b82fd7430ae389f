#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mcp/request.hpp"
#include "mcp/subscriptions.hpp"
#include "mcp/tool_box.hpp"
#include "mcp/workers.hpp"

namespace npuprof::mcp {

// A tool call that goes on without its request: the client asks for its state by an id. Both forms
// of the protocol are views of it: the tasks of 2025-11-25 and the modern extension. For any
// thread.
class Task {
 public:
  enum class Status { working, input_required, completed, failed, cancelled };

  const std::string& id() const { return id_; }
  bool belongs_to(const Session& session) const { return owner_.lock().get() == &session; }

  Json legacy_view() const;    // {"taskId", "status", "createdAt", "lastUpdatedAt", "ttl", ...}
  Json modern_view() const;    // the same in the extension's names, without the outcome
  Json detailed_view() const;  // with result, error or inputRequests

 private:
  friend class Tasks;

  bool terminal_locked() const;
  Json view_locked(const char* ttl, const char* poll) const;

  std::string id_;
  std::weak_ptr<Session> owner_;
  std::shared_ptr<const OfferedTool> tool_;
  std::shared_ptr<Request> request_;  // as the tool sees it
  Json arguments_;
  std::chrono::system_clock::time_point created_;
  std::optional<std::chrono::milliseconds> ttl_;

  mutable std::mutex mutex_;
  Status status_ = Status::working;
  std::string message_;
  std::chrono::system_clock::time_point updated_;
  Json result_;
  jsonrpc::RpcError error_;
  struct Asked {
    std::string key;  // the tool's own
    Json request;
  };
  std::map<std::string, Asked> pending_;  // by the key that the client sees
  Json responses_ = Json::object();
  Json state_ = nullptr;
  std::uint64_t asked_ = 0;
  std::vector<std::shared_ptr<Request>> waiting_;  // tasks/result of the legacy era
};

// The tasks of a server, kept in memory for their time to live.
class Tasks {
 public:
  Tasks(Workers& workers, Subscriptions& subscriptions)
      : workers_(workers), subscriptions_(subscriptions) {}

  // Starts the call as a task, which is found by its id from then on. Null where there are too
  // many.
  std::shared_ptr<Task> create(std::shared_ptr<const OfferedTool> tool, Json arguments,
                               const Request& origin, std::optional<std::chrono::milliseconds> ttl);

  std::shared_ptr<Task> find(const std::string& id);
  std::vector<std::shared_ptr<Task>> of(const Session& session);

  // Ends the work. False where it had ended.
  bool cancel(const std::shared_ptr<Task>& task);

  // The client's answers, by the keys it was given; the task goes on once all are there.
  void update(const std::shared_ptr<Task>& task, const Json& responses);

  // Answers the request with the task's own result when there is one.
  void answer_with_result(const std::shared_ptr<Task>& task,
                          const std::shared_ptr<Request>& request);

 private:
  void run(const std::shared_ptr<Task>& task);
  void settle(const std::shared_ptr<Task>& task, ToolOutcome&& outcome);
  void changed(const std::shared_ptr<Task>& task);
  void drop_expired_locked();

  Workers& workers_;
  Subscriptions& subscriptions_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Task>> tasks_;
};

}  // namespace npuprof::mcp
