#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/tool.hpp"
#include "jsonrpc/message.hpp"
#include "mcp/offer.hpp"
#include "mcp/reply.hpp"
#include "mcp/request.hpp"
#include "mcp/session.hpp"
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
};

// An MCP server of both eras, without a transport: it takes messages and gives answers. For any
// thread. Outlives its transports; what is offered by reference outlives it.
class Server {
 public:
  explicit Server(ServerInfo info, ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void add(std::shared_ptr<ToolHandler> tool);
  void add(Tool& tool);

  std::shared_ptr<Session> open_session(Session::Kind kind, std::shared_ptr<Outlet> outlet);

  // Serves one message. A request is answered through `reply`, perhaps later and from another
  // thread; nothing else is.
  void receive(const std::shared_ptr<Session>& session, jsonrpc::Message&& message,
               const std::shared_ptr<Reply>& reply);

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
  void call_tool(const RequestPtr& request);
  void call_bare(const RequestPtr& request, const std::shared_ptr<const OfferedTool>& tool);
  void finish_tool_call(Request& request, ToolOutcome&& outcome);

  Json capabilities(Revision revision) const;

  const ServerInfo info_;
  std::shared_ptr<const Stamp> stamp_;
  ToolBox tools_;
  Workers workers_;  // last: its threads use the rest
};

}  // namespace npuprof::mcp
