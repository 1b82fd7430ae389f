#include "fixtures.hpp"
#include "function_tool.hpp"

namespace npuprof::conformance {

using mcp::InputRequired;
using mcp::Request;
using mcp::TaskSupport;
using mcp::ToolDefinition;
using mcp::ToolOutcome;

namespace {

ToolDefinition about(std::string name, std::string description, TaskSupport tasks,
                     Json schema = object_schema(Json::object())) {
  ToolDefinition definition;
  definition.name = std::move(name);
  definition.description = std::move(description);
  definition.tasks = tasks;
  definition.input_schema = std::move(schema);
  return definition;
}

// Asks within the request, and goes on as a task once it has its answer.
class AsksFirst : public FunctionTool {
 public:
  using FunctionTool::FunctionTool;
  bool begins_as_task(const Json&, Request& request) override {
    return response(request, "user_name") != nullptr;
  }
};

}  // namespace

void offer_tasks(mcp::Server& server) {
  const auto add = [&](ToolDefinition definition, FunctionTool::Body body) {
    server.add(std::make_shared<FunctionTool>(std::move(definition), std::move(body)));
  };
  add(about("greet", "Says hello.", TaskSupport::none,
            object_schema({{"name", {{"type", "string"}}}})),
      [](const Json& arguments, Request&) -> ToolOutcome {
        return text("Hello, " + arguments.value("name", "stranger") + "!");
      });
  add(about("slow_compute", "Takes its time.", TaskSupport::optional,
            object_schema({{"seconds", {{"type", "number"}}}, {"label", {{"type", "string"}}}})),
      [](const Json& arguments, Request& request) -> ToolOutcome {
        const auto seconds = std::chrono::duration<double>(arguments.value("seconds", 1.0));
        const bool whole =
            pause_for(std::chrono::duration_cast<std::chrono::milliseconds>(seconds), request);
        return text(whole ? "Computed" : "Stopped", !whole);
      });
  add(about("failing_job", "Fails after a while.", TaskSupport::required),
      [](const Json&, Request& request) -> ToolOutcome {
        pause_for(std::chrono::seconds(1), request);
        return text("The job failed", true);
      });
  add(about("protocol_error_job", "Breaks off with a protocol error.", TaskSupport::optional),
      [](const Json&, Request&) -> ToolOutcome {
        return jsonrpc::RpcError{jsonrpc::internal_error, "The job broke off"};
      });
  add(about("confirm_delete", "Asks before it deletes.", TaskSupport::optional,
            object_schema({{"filename", {{"type", "string"}}}})),
      [](const Json& arguments, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "confirm");
        if (answer == nullptr) {
          return InputRequired{{{"confirm", "elicitation/create",
                                 ask_for("Delete " + arguments.value("filename", "it") + "?",
                                         "confirm", "boolean")}}};
        }
        return text("Answered: " + answer->dump());
      });
  add(about("multi_input", "Asks two things at once.", TaskSupport::optional),
      [](const Json&, Request& request) -> ToolOutcome {
        InputRequired needed;
        for (const char* key : {"first", "second"}) {
          if (!response(request, key)) {
            needed.asks.push_back(
                {key, "elicitation/create", ask_for(std::string("The ") + key + "?", "value")});
          }
        }
        if (!needed.asks.empty()) return needed;
        return text("Both answers came");
      });
  server.add(std::make_shared<AsksFirst>(
      about("test_tool_with_task", "Asks, then goes on as a task.", TaskSupport::required),
      [](const Json&, Request& request) -> ToolOutcome {
        if (!response(request, "user_name")) {
          return InputRequired{
              {{"user_name", "elicitation/create", ask_for("What is your name?", "name")}},
              "asked"};
        }
        return text("Hello, " + filled_in(request, "user_name", "name") + "!");
      }));
}

}  // namespace npuprof::conformance
