#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/json.hpp"
#include "jsonrpc/rpc_error.hpp"

// What a server offers, in the protocol's own shapes. What speaks of core's Tool, ResourceProvider
// and Prompt is adapted to it in core_offer.hpp.
namespace npuprof::mcp {

class Request;

// The call can't go on without answers from the client. In the modern era the client gets the
// requests and calls again with the answers; `state` comes back unchanged (it is signed, and bound
// to the request).
struct InputRequired {
  struct Ask {
    std::string key;
    std::string method;  // elicitation/create, sampling/createMessage or roots/list
    Json params = Json::object();
  };
  std::vector<Ask> asks = {};
  Json state = nullptr;
};

enum class TaskSupport { none, optional, required };

struct ToolDefinition {
  std::string name;
  std::string title = {};
  std::string description = {};
  Json input_schema = {{"type", "object"}};
  Json output_schema = nullptr;  // null: the tool promises no structure
  Json annotations = nullptr;
  Json meta = nullptr;  // `_meta` of the definition
  bool quick = false;   // never waits: may run on the thread that read the call
  TaskSupport tasks = TaskSupport::none;
  bool checks_itself = false;  // arguments go to the tool unchecked: its schema is beyond `Schema`
};

struct ToolOutput {
  std::string text;           // the first content block, where not empty
  Json content = nullptr;     // further content blocks: an array, or null
  Json structured = nullptr;  // null: none
  bool is_error = false;
  Json meta = nullptr;
};

using ToolOutcome = std::variant<ToolOutput, InputRequired, jsonrpc::RpcError>;

// One object serves many calls at once, from any thread.
class ToolHandler {
 public:
  virtual ~ToolHandler() = default;
  virtual const ToolDefinition& definition() const = 0;

  // `arguments` has passed the input schema.
  virtual ToolOutcome call(const Json& arguments, Request& request) = 0;

  // Whether a call by a client that can follow tasks becomes one before the tool is called; where
  // not, it is called within the request. Asked only of tools that support tasks.
  virtual bool begins_as_task(const Json& /*arguments*/, Request& /*request*/) { return true; }

  // What goes out where the arguments have not, or where the output breaks the output schema.
  virtual ToolOutput refused(const Error& error) const;
};

using BodyOutcome = std::variant<Json, InputRequired, jsonrpc::RpcError>;

struct ResourceList {
  Json items = Json::array();
  std::string next_cursor = {};
};

// Resources and templates in the protocol's shapes. One object serves many calls at once, from any
// thread.
class ResourceHandler {
 public:
  virtual ~ResourceHandler() = default;
  virtual Result<ResourceList> list(const std::string& cursor) = 0;
  virtual Json templates() = 0;  // an array

  // The result's `contents`; std::nullopt is not_found.
  struct NotFound {};
  using ReadOutcome = std::variant<Json, NotFound, InputRequired, jsonrpc::RpcError>;
  virtual ReadOutcome read(const std::string& uri, Request& request) = 0;
  virtual bool has_completion() const { return false; }
  virtual std::vector<std::string> complete(const std::string& /*uri_template*/,
                                            const std::string& /*variable*/,
                                            const std::string& /*prefix*/, const Json& /*chosen*/) {
    return {};
  }
};

// One object serves many calls at once, from any thread.
class PromptHandler {
 public:
  virtual ~PromptHandler() = default;
  virtual Json definition() const = 0;  // {"name", "title", "description", "arguments"}

  // The result {"description", "messages"}; required arguments are there, all are strings.
  virtual BodyOutcome get(const Json& arguments, Request& request) = 0;
  virtual bool has_completion() const { return false; }
  virtual std::vector<std::string> complete(const std::string& /*argument*/,
                                            const std::string& /*prefix*/, const Json& /*chosen*/) {
    return {};
  }
};

}  // namespace npuprof::mcp
