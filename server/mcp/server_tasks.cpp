// The methods of Server for tasks: the modern extension, and the tasks of 2025-11-25.
#include "mcp/server.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::chrono::hours default_ttl{24};

Json tasks_extension_needed() {
  return {{"requiredCapabilities", {{"extensions", {{meta::tasks_extension, Json::object()}}}}}};
}

}  // namespace

bool client_has_tasks(const Request& request) {
  const auto& capabilities = request.client_capabilities();
  const auto extensions = capabilities.find("extensions");
  return extensions != capabilities.end() && extensions->is_object() &&
         extensions->contains(meta::tasks_extension);
}

// Whether the call was answered, or became a task.
bool Server::call_as_task(const RequestPtr& request, const std::shared_ptr<const OfferedTool>& tool,
                          const Json& arguments) {
  const auto support = tool->handler->definition().tasks;
  std::optional<std::chrono::milliseconds> ttl = default_ttl;
  if (request->modern()) {
    if (support == TaskSupport::none) return false;
    if (!client_has_tasks(*request)) {
      if (support != TaskSupport::required) return false;
      request->fail({missing_client_capability,
                     "this tool runs as a task, for which the client lacks the extension",
                     tasks_extension_needed()});
      return true;
    }
    if (!tool->handler->begins_as_task(arguments, *request)) return false;
  } else {
    const auto asked = request->params().find("task");
    const bool wanted = request->revision() == Revision::r2025_11_25 &&
                        asked != request->params().end() && asked->is_object();
    if (wanted ? support == TaskSupport::none : support == TaskSupport::required) {
      request->fail({jsonrpc::method_not_found,
                     wanted ? "this tool does not run as a task"
                            : "this tool runs as a task; call it with the parameter task"});
      return true;
    }
    if (!wanted) return false;
    if (const auto given = asked->find("ttl");
        given != asked->end() && given->is_number_unsigned()) {
      ttl = std::min(*ttl, std::chrono::milliseconds(given->get<std::int64_t>()));
    }
  }
  const auto task = tasks_.create(tool, arguments, *request, ttl);
  if (!task) {
    request->fail({jsonrpc::server_error, "the server is busy: too many tasks"}, 503);
  } else if (request->modern()) {
    auto result = task->modern_view();
    result["resultType"] = "task";
    request->answer(std::move(result));
  } else {
    request->answer({{"task", task->legacy_view()}});
  }
  return true;
}

// The task that the request names, or null where it was answered with an error.
std::shared_ptr<Task> Server::task_of(const RequestPtr& request) {
  if (request->modern() && !client_has_tasks(*request)) {
    request->fail({missing_client_capability, "the client lacks the tasks extension",
                   tasks_extension_needed()});
    return nullptr;
  }
  const auto id = request->params().find("taskId");
  auto task = id != request->params().end() && id->is_string()
                  ? tasks_.find(id->get_ref<const std::string&>())
                  : nullptr;
  if (task && !request->modern() && !task->belongs_to(request->session())) task = nullptr;
  if (!task) request->fail({jsonrpc::invalid_params, "no such task, or it has expired"});
  return task;
}

void Server::get_task(const RequestPtr& request) {
  const auto task = task_of(request);
  if (!task) return;
  request->answer(request->modern() ? task->detailed_view() : task->legacy_view());
}

void Server::update_task(const RequestPtr& request) {
  const auto task = task_of(request);
  if (!task) return;
  const auto responses = request->params().find("inputResponses");
  if (responses == request->params().end() || !responses->is_object()) {
    request->fail({jsonrpc::invalid_params, "inputResponses is an object"});
    return;
  }
  tasks_.update(task, *responses);
  request->answer(Json::object());
}

void Server::cancel_task(const RequestPtr& request) {
  const auto task = task_of(request);
  if (!task) return;
  const bool ended = tasks_.cancel(task);
  if (request->modern()) {
    request->answer(Json::object());
  } else if (!ended) {
    request->fail({jsonrpc::invalid_params, "the task has ended already"});
  } else {
    request->answer(task->legacy_view());
  }
}

void Server::task_result(const RequestPtr& request) {
  if (const auto task = task_of(request)) tasks_.answer_with_result(task, request);
}

void Server::list_tasks(const RequestPtr& request) {
  Json tasks = Json::array();
  for (const auto& task : tasks_.of(request->session())) tasks.push_back(task->legacy_view());
  request->answer({{"tasks", std::move(tasks)}});
}

}  // namespace npuprof::mcp
