#include "mcp/tasks.hpp"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "core/clock.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::size_t max_tasks = 1000;
constexpr std::uint64_t poll_ms = 1000;

using System = std::chrono::system_clock;

std::string random_id() {
  std::array<unsigned char, 16> bytes;
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
    throw std::runtime_error("no random numbers for a task id");
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string id = "task-";
  for (const auto byte : bytes) {
    id += digits[byte >> 4];
    id += digits[byte & 15];
  }
  return id;
}

const char* name_of(Task::Status status) {
  switch (status) {
    case Task::Status::working:
      return "working";
    case Task::Status::input_required:
      return "input_required";
    case Task::Status::completed:
      return "completed";
    case Task::Status::failed:
      return "failed";
    case Task::Status::cancelled:
      return "cancelled";
  }
  return "failed";
}

Json error_object(const jsonrpc::RpcError& error) {
  Json object = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  return object;
}

// A task's work has no request to answer.
class NoReply : public Reply {
 public:
  void event(std::string) override {}
  void finish(Answer) override {}
};

}  // namespace

bool Task::terminal_locked() const {
  return status_ != Status::working && status_ != Status::input_required;
}

Json Task::view_locked(const char* ttl, const char* poll) const {
  Json view = {{"taskId", id_},
               {"status", name_of(status_)},
               {"createdAt", to_iso8601(created_)},
               {"lastUpdatedAt", to_iso8601(updated_)},
               {ttl, ttl_ ? Json(ttl_->count()) : Json()},
               {poll, poll_ms}};
  if (!message_.empty()) view["statusMessage"] = message_;
  return view;
}

Json Task::legacy_view() const {
  const std::lock_guard lock(mutex_);
  return view_locked("ttl", "pollInterval");
}

Json Task::modern_view() const {
  const std::lock_guard lock(mutex_);
  return view_locked("ttlMs", "pollIntervalMs");
}

Json Task::detailed_view() const {
  const std::lock_guard lock(mutex_);
  auto view = view_locked("ttlMs", "pollIntervalMs");
  if (status_ == Status::completed) view["result"] = result_;
  if (status_ == Status::failed) view["error"] = error_object(error_);
  if (status_ == Status::input_required) {
    view["inputRequests"] = Json::object();
    for (const auto& [key, asked] : pending_) view["inputRequests"][key] = asked.request;
  }
  return view;
}

std::shared_ptr<Task> Tasks::create(std::shared_ptr<const OfferedTool> tool, Json arguments,
                                    const Request& origin,
                                    std::optional<std::chrono::milliseconds> ttl) {
  auto task = std::make_shared<Task>();
  task->id_ = random_id();
  task->owner_ = origin.shared_session();
  task->tool_ = std::move(tool);
  task->arguments_ = std::move(arguments);
  task->request_ = origin.detached(std::make_shared<NoReply>());
  task->created_ = task->updated_ = System::now();
  task->ttl_ = ttl;
  {
    const std::lock_guard lock(mutex_);
    drop_expired_locked();
    if (tasks_.size() >= max_tasks) return nullptr;
    tasks_.emplace(task->id_, task);
  }
  if (!workers_.post([this, task] { run(task); })) {
    const std::lock_guard lock(mutex_);
    tasks_.erase(task->id_);
    return nullptr;
  }
  return task;
}

void Tasks::drop_expired_locked() {
  const auto now = System::now();
  std::erase_if(tasks_, [&](const auto& entry) {
    const auto& task = *entry.second;
    const std::lock_guard lock(task.mutex_);
    return task.terminal_locked() && task.ttl_ && task.created_ + *task.ttl_ < now;
  });
}

std::shared_ptr<Task> Tasks::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  drop_expired_locked();
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Task>> Tasks::of(const Session& session) {
  std::vector<std::shared_ptr<Task>> own;
  const std::lock_guard lock(mutex_);
  drop_expired_locked();
  for (const auto& [id, task] : tasks_) {
    if (task->belongs_to(session)) own.push_back(task);
  }
  return own;
}

void Tasks::run(const std::shared_ptr<Task>& task) {
  settle(task, ToolBox::run(*task->tool_, task->arguments_, *task->request_));
}

void Tasks::settle(const std::shared_ptr<Task>& task, ToolOutcome&& outcome) {
  {
    const std::lock_guard lock(task->mutex_);
    if (task->terminal_locked()) return;  // cancelled meanwhile
    task->updated_ = System::now();
    if (auto* output = std::get_if<ToolOutput>(&outcome)) {
      task->result_ = tool_result(*output, task->request_->revision());
      if (task->request_->modern()) task->result_["resultType"] = "complete";
      task->status_ = Task::Status::completed;
    } else if (auto* error = std::get_if<jsonrpc::RpcError>(&outcome)) {
      task->error_ = std::move(*error);
      task->message_ = task->error_.message;
      task->status_ = Task::Status::failed;
    } else {
      auto& needed = std::get<InputRequired>(outcome);
      task->status_ = Task::Status::input_required;
      task->state_ = std::move(needed.state);
      task->responses_ = Json::object();
      for (auto& ask : needed.asks) {
        const auto key = ask.key + "-" + std::to_string(++task->asked_);
        task->pending_[key] = {
            ask.key, {{"method", std::move(ask.method)}, {"params", std::move(ask.params)}}};
      }
    }
  }
  changed(task);
}

void Tasks::changed(const std::shared_ptr<Task>& task) {
  std::vector<std::shared_ptr<Request>> waiting;
  {
    const std::lock_guard lock(task->mutex_);
    if (task->terminal_locked()) waiting.swap(task->waiting_);
  }
  if (!task->request_->modern()) {
    if (const auto session = task->owner_.lock()) {
      session->send(jsonrpc::notification_text("notifications/tasks/status", task->legacy_view()));
    }
  }
  subscriptions_.task_changed(task->id(), task->detailed_view());
  for (const auto& request : waiting) answer_with_result(task, request);
}

bool Tasks::cancel(const std::shared_ptr<Task>& task) {
  {
    const std::lock_guard lock(task->mutex_);
    if (task->terminal_locked()) return false;
    task->status_ = Task::Status::cancelled;
    task->message_ = "cancelled by the client";
    task->updated_ = System::now();
    task->pending_.clear();
  }
  task->request_->control()->stop.request_stop();
  changed(task);
  return true;
}

void Tasks::update(const std::shared_ptr<Task>& task, const Json& responses) {
  {
    const std::lock_guard lock(task->mutex_);
    if (task->status_ != Task::Status::input_required) return;
    bool any = false;
    for (const auto& [key, response] : responses.items()) {
      const auto asked = task->pending_.find(key);
      if (asked == task->pending_.end() || !response.is_object()) continue;
      task->responses_[asked->second.key] = response;
      task->pending_.erase(asked);
      any = true;
    }
    if (!any) return;
    task->updated_ = System::now();
    if (!task->pending_.empty()) return;
    task->status_ = Task::Status::working;
    task->request_->set_continuation(std::move(task->responses_), std::move(task->state_));
    task->responses_ = Json::object();
    task->state_ = nullptr;
  }
  changed(task);
  if (!workers_.post([this, task] { run(task); })) {
    settle(task, jsonrpc::RpcError{jsonrpc::server_error, "the server is busy"});
  }
}

void Tasks::answer_with_result(const std::shared_ptr<Task>& task,
                               const std::shared_ptr<Request>& request) {
  Json result;
  std::optional<jsonrpc::RpcError> error;
  {
    const std::lock_guard lock(task->mutex_);
    if (!task->terminal_locked()) {
      task->waiting_.push_back(request);
      return;
    }
    if (task->status_ == Task::Status::completed) {
      result = task->result_;
    } else if (task->status_ == Task::Status::failed) {
      error = task->error_;
    } else {
      error = jsonrpc::RpcError{jsonrpc::internal_error, "the task was cancelled"};
    }
  }
  if (error) {
    request->fail(*std::move(error));
    return;
  }
  result["_meta"][meta::related_task] = {{"taskId", task->id()}};
  request->answer(std::move(result));
}

}  // namespace npuprof::mcp
