#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/prompt.hpp"
#include "core/resource.hpp"
#include "core/tool.hpp"
#include "jsonrpc/message.hpp"
#include "mcp/continuation.hpp"
#include "mcp/offer.hpp"
#include "mcp/reply.hpp"
#include "mcp/request.hpp"
#include "mcp/session.hpp"
#include "mcp/shelves.hpp"
#include "mcp/subscriptions.hpp"
#include "mcp/tasks.hpp"
#include "mcp/tool_box.hpp"
#include "mcp/workers.hpp"

namespace npuprof::mcp {

struct ServerInfo {
  std::string name;
  std::string version;
  std::string title = {};
  std::string instructions = {};  // for the model, in discover and initialize
};

struct ServerLimits {
  std::size_t threads = 64;  // calls that wait at the same time
  std::size_t queued = 256;  // calls that wait for a thread; more are answered with "busy"
  std::size_t page = 200;    // tools and prompts on one page of a list
};

// An MCP server of both eras, without a transport: it takes messages and gives answers. For any
// thread. Outlives its transports; what is offered by reference outlives it.
class Server {
 public:
  explicit Server(ServerInfo info, ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // What is offered may change while clients are served; they are told.
  void add(std::shared_ptr<ToolHandler> tool);
  void add(std::shared_ptr<ResourceHandler> resources);
  void add(std::shared_ptr<PromptHandler> prompt);
  void add(Tool& tool);
  void add(ResourceProvider& provider);  // and watches it
  void add(Prompt& prompt);
  bool remove_tool(const std::string& name);
  bool remove_prompt(const std::string& name);
  void resource_updated(const std::string& uri) { subscriptions_.resource_updated(uri); }
  void prompts_changed() { subscriptions_.list_changed(Change::prompts); }
  void resources_changed() { subscriptions_.list_changed(Change::resources); }

  std::shared_ptr<Session> open_session(Session::Kind kind, std::shared_ptr<Outlet> outlet);

  // Serves one message. A request is answered through `reply`, perhaps later and from another
  // thread; nothing else is.
  void receive(const std::shared_ptr<Session>& session, jsonrpc::Message&& message,
               const std::shared_ptr<Reply>& reply);

  // The input schema of the tool that the message calls, for a transport that mirrors arguments
  // outside the message; null for any other message. Valid while the tool is on offer.
  std::shared_ptr<const Json> input_schema(const jsonrpc::Message& message) const;

  // Asks the calls of every session to end early; they are answered.
  void stop_calls();

  // Waits for open calls to end; false where that takes longer.
  bool drain(std::chrono::milliseconds limit) { return workers_.wait_idle(limit); }

 private:
  using RequestPtr = std::shared_ptr<Request>;
  struct Method {
    void (Server::*serve)(const RequestPtr&);
    bool legacy;
    bool modern;
    bool waits;  // runs on a worker
  };
  static const Method* method_of(std::string_view name);

  void take_request(const RequestPtr& request);
  void take_notification(Session& session, const jsonrpc::Message& message);
  bool settle_modern(Request& request) const;
  void run(const RequestPtr& request, std::function<void()> work);

  void initialize(const RequestPtr& request);
  void discover(const RequestPtr& request);
  void ping(const RequestPtr& request);
  void set_log_level(const RequestPtr& request);
  void list_tools(const RequestPtr& request);
  void list_resources(const RequestPtr& request);
  void list_templates(const RequestPtr& request);
  void read_resource(const RequestPtr& request);
  void subscribe(const RequestPtr& request);
  void unsubscribe(const RequestPtr& request);
  void list_prompts(const RequestPtr& request);
  void get_prompt(const RequestPtr& request);
  void complete(const RequestPtr& request);
  void get_task(const RequestPtr& request);
  void update_task(const RequestPtr& request);
  void cancel_task(const RequestPtr& request);
  void task_result(const RequestPtr& request);
  void list_tasks(const RequestPtr& request);
  bool call_as_task(const RequestPtr& request, const std::shared_ptr<const OfferedTool>& tool,
                    const Json& arguments);
  std::shared_ptr<Task> task_of(const RequestPtr& request);
  void listen(const RequestPtr& request);
  void call_tool(const RequestPtr& request);
  void call_bare(const RequestPtr& request, const std::shared_ptr<const OfferedTool>& tool);
  void finish_tool_call(Request& request, ToolOutcome&& outcome);

  // The rounds of a request that needs input from the client. `take_continuation` is false where
  // what the client brought is refused (and answered so); `settle_input` asks a legacy client and
  // says whether to call the handler again, or answers a modern one.
  bool take_continuation(Request& request);
  bool settle_input(Request& request, const InputRequired& needed, int round);
  void answer_page(Request& request, const char* name, const Json& all);

  Json capabilities(Revision revision) const;

  const ServerInfo info_;
  std::shared_ptr<const Stamp> stamp_;
  const std::size_t page_;
  const Continuation continuation_;
  ToolBox tools_;
  ResourceShelf resources_;
  PromptShelf prompts_;
  Subscriptions subscriptions_;
  std::vector<ResourceProvider*> watched_;
  Tasks tasks_{workers_, subscriptions_};
  Workers workers_;  // last: its threads use the rest
};

bool client_has_tasks(const Request& request);

}  // namespace npuprof::mcp
