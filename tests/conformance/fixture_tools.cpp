#include "core/clock.hpp"
#include "fixtures.hpp"
#include "function_tool.hpp"

namespace npuprof::conformance {

using mcp::InputRequired;
using mcp::Request;
using mcp::ToolDefinition;
using mcp::ToolOutcome;
using std::chrono::milliseconds;

const char* const red_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
    "gg==";

bool pause_for(milliseconds time, const Request& request) {
  return real_clock().wait_until(real_clock().steady() + time, request.stop());
}

namespace {

const char silent_wav[] = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

ToolDefinition about(std::string name, std::string description,
                     Json schema = object_schema(Json::object())) {
  ToolDefinition definition;
  definition.name = std::move(name);
  definition.description = std::move(description);
  definition.input_schema = std::move(schema);
  return definition;
}

void add(mcp::Server& server, ToolDefinition definition, FunctionTool::Body body) {
  server.add(std::make_shared<FunctionTool>(std::move(definition), std::move(body)));
}

Json sampling(const std::string& prompt, int tokens) {
  return {{"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", prompt}}}}}},
          {"maxTokens", tokens}};
}

std::string elicited(const Json& answer) {
  return "Elicitation completed: action=" + answer.value("action", "none") +
         ", content=" + answer.value("content", Json::object()).dump();
}

void offer_content(mcp::Server& server) {
  auto echo = about("echo", "Gives back the text.",
                    object_schema({{"text", {{"type", "string"}}}}, {"text"}));
  echo.quick = true;
  add(server, echo, [](const Json& arguments, Request&) -> ToolOutcome {
    return text(arguments.at("text").get<std::string>());
  });
  add(server, about("test_simple_text", "A text."), [](const Json&, Request&) -> ToolOutcome {
    return text("This is a simple text response for testing.");
  });
  add(server, about("test_image_content", "An image."), [](const Json&, Request&) -> ToolOutcome {
    return content({{{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}}});
  });
  add(server, about("test_audio_content", "A sound."), [](const Json&, Request&) -> ToolOutcome {
    return content({{{"type", "audio"}, {"data", silent_wav}, {"mimeType", "audio/wav"}}});
  });
  add(server, about("test_embedded_resource", "A resource in the result."),
      [](const Json&, Request&) -> ToolOutcome {
        return content({{{"type", "resource"},
                         {"resource",
                          {{"uri", "test://embedded-resource"},
                           {"mimeType", "text/plain"},
                           {"text", "This is an embedded resource content."}}}}});
      });
  add(server, about("test_multiple_content_types", "Several kinds of content."),
      [](const Json&, Request&) -> ToolOutcome {
        return content({{{"type", "text"}, {"text", "Multiple content types test:"}},
                        {{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}},
                        {{"type", "resource"},
                         {"resource",
                          {{"uri", "test://mixed-content-resource"},
                           {"mimeType", "application/json"},
                           {"text", R"({"test":"data","value":123})"}}}}});
      });
  add(server, about("test_error_handling", "Always fails."),
      [](const Json&, Request&) -> ToolOutcome {
        return text("This tool intentionally returns an error for testing", true);
      });
}

void offer_messages(mcp::Server& server) {
  for (const char* name : {"test_tool_with_logging", "test_logging_tool"}) {
    add(server, about(name, "Logs while it runs."),
        [](const Json&, Request& request) -> ToolOutcome {
          request.log("info", "fixture", "Tool execution started");
          pause_for(milliseconds(50), request);
          request.log("info", "fixture", "Tool processing data");
          pause_for(milliseconds(50), request);
          request.log("info", "fixture", "Tool execution completed");
          return text("Tool with logging executed successfully");
        });
  }
  add(server, about("test_tool_with_progress", "Reports progress."),
      [](const Json&, Request& request) -> ToolOutcome {
        for (const double done : {0.0, 50.0, 100.0}) {
          if (done > 0) pause_for(milliseconds(50), request);
          request.progress(done, 100,
                           "Completed step " + std::to_string(static_cast<int>(done)) + " of 100");
        }
        return text("Progress reported");
      });
  add(server, about("test_reconnection", "Lets the client reconnect for its answer."),
      [](const Json&, Request& request) -> ToolOutcome {
        request.pause_stream();
        pause_for(milliseconds(100), request);
        return text("Reconnection test completed successfully.");
      });
  add(server,
      about("test_sampling", "Asks the client's model.",
            object_schema({{"prompt", {{"type", "string"}}}}, {"prompt"})),
      [](const Json& arguments, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "answer");
        if (answer == nullptr) {
          return InputRequired{{{"answer", "sampling/createMessage",
                                 sampling(arguments.at("prompt").get<std::string>(), 100)}}};
        }
        const auto reply = answer->value("content", Json::object());
        return text("LLM response: " +
                    (reply.is_object() ? reply.value("text", "") : reply.dump()));
      });
  add(server,
      about("test_elicitation", "Asks the user.",
            object_schema({{"message", {{"type", "string"}}}}, {"message"})),
      [](const Json& arguments, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "answer");
        if (answer == nullptr) {
          const Json field = {{"type", "string"}, {"description", "User's response"}};
          return InputRequired{
              {{"answer",
                "elicitation/create",
                {{"message", arguments.at("message")},
                 {"requestedSchema", object_schema({{"username", field}, {"email", field}},
                                                   {"username", "email"})}}}}};
        }
        return text("User response: " + answer->dump());
      });
  add(server, about("test_elicitation_sep1034_defaults", "Asks with defaults."),
      [](const Json&, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "answer");
        if (answer != nullptr) return text(elicited(*answer));
        return InputRequired{
            {{"answer",
              "elicitation/create",
              {{"message", "Please review and update the form fields with defaults"},
               {"requestedSchema",
                object_schema({{"name", {{"type", "string"}, {"default", "John Doe"}}},
                               {"age", {{"type", "integer"}, {"default", 30}}},
                               {"score", {{"type", "number"}, {"default", 95.5}}},
                               {"status",
                                {{"type", "string"},
                                 {"enum", {"active", "inactive", "pending"}},
                                 {"default", "active"}}},
                               {"verified", {{"type", "boolean"}, {"default", true}}}})}}}}};
      });
  add(server, about("test_elicitation_sep1330_enums", "Asks with every kind of choice."),
      [](const Json&, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "answer");
        if (answer != nullptr) return text(elicited(*answer));
        const Json plain = {"option1", "option2", "option3"};
        const auto titled = [](const char* word) {
          Json list = Json::array();
          int number = 0;
          for (const char* nth : {"First", "Second", "Third"}) {
            list.push_back({{"const", "value" + std::to_string(++number)},
                            {"title", std::string(nth) + " " + word}});
          }
          return list;
        };
        return InputRequired{
            {{"answer",
              "elicitation/create",
              {{"message", "Please select options from the enum fields"},
               {"requestedSchema",
                object_schema(
                    {{"untitledSingle", {{"type", "string"}, {"enum", plain}}},
                     {"titledSingle", {{"type", "string"}, {"oneOf", titled("Option")}}},
                     {"legacyEnum",
                      {{"type", "string"},
                       {"enum", {"opt1", "opt2", "opt3"}},
                       {"enumNames", {"Option One", "Option Two", "Option Three"}}}},
                     {"untitledMulti",
                      {{"type", "array"}, {"items", {{"type", "string"}, {"enum", plain}}}}},
                     {"titledMulti",
                      {{"type", "array"}, {"items", {{"anyOf", titled("Choice")}}}}}})}}}}};
      });
}

void offer_rounds(mcp::Server& server) {
  const InputRequired::Ask user_name{"user_name", "elicitation/create",
                                     ask_for("What is your name?", "name")};
  const InputRequired::Ask confirm{"confirm", "elicitation/create",
                                   ask_for("Please confirm", "ok", "boolean")};
  for (const char* name :
       {"test_input_required_result_elicitation", "test_streaming_elicitation"}) {
    add(server, about(name, "Asks for a name."),
        [user_name](const Json&, Request& request) -> ToolOutcome {
          if (!response(request, "user_name")) return InputRequired{{user_name}};
          return text("Hello, " + filled_in(request, "user_name", "name") + "!");
        });
  }
  add(server, about("test_input_required_result_sampling", "Asks a model."),
      [](const Json&, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "capital_question");
        if (answer) return text(answer->value("content", Json::object()).dump());
        return InputRequired{{{"capital_question", "sampling/createMessage",
                               sampling("What is the capital of France?", 100)}}};
      });
  add(server, about("test_input_required_result_list_roots", "Asks for the roots."),
      [](const Json&, Request& request) -> ToolOutcome {
        const auto* answer = response(request, "client_roots");
        if (answer) return text("Roots: " + answer->value("roots", Json::array()).dump());
        return InputRequired{{{"client_roots", "roots/list"}}};
      });
  for (const char* name :
       {"test_input_required_result_request_state", "test_input_required_result_tampered_state"}) {
    add(server, about(name, "Carries a state."),
        [confirm](const Json&, Request& request) -> ToolOutcome {
          if (!response(request, "confirm") || request.state() != "asked") {
            return InputRequired{{confirm}, "asked"};
          }
          return text("state-ok");
        });
  }
  add(server, about("test_input_required_result_multiple_inputs", "Asks several things at once."),
      [user_name](const Json&, Request& request) -> ToolOutcome {
        InputRequired needed{{}, "asked"};
        if (!response(request, "user_name")) needed.asks.push_back(user_name);
        if (!response(request, "greeting")) {
          needed.asks.push_back(
              {"greeting", "sampling/createMessage", sampling("Generate a greeting", 50)});
        }
        if (!response(request, "client_roots"))
          needed.asks.push_back({"client_roots", "roots/list"});
        if (!needed.asks.empty()) return needed;
        return text("All inputs came from " + filled_in(request, "user_name", "name"));
      });
  add(server, about("test_input_required_result_multi_round", "Asks twice."),
      [](const Json&, Request& request) -> ToolOutcome {
        const auto& state = request.state();
        const int round = state.is_object() ? state.value("round", 0) : 0;
        if (round == 2 && response(request, "step2")) {
          return text(state.value("name", "") + " likes " + filled_in(request, "step2", "color"));
        }
        if (round >= 1 && response(request, "step1")) {
          return InputRequired{{{"step2", "elicitation/create",
                                 ask_for("Step 2: What is your favorite color?", "color")}},
                               {{"round", 2}, {"name", filled_in(request, "step1", "name")}}};
        }
        return InputRequired{
            {{"step1", "elicitation/create", ask_for("Step 1: What is your name?", "name")}},
            {{"round", 1}}};
      });
  add(server, about("test_input_required_result_capabilities", "Asks only what the client can."),
      [user_name](const Json&, Request& request) -> ToolOutcome {
        InputRequired needed{{}, "asked"};
        if (request.client_can("elicitation") && !response(request, "user_name")) {
          needed.asks.push_back(user_name);
        }
        if (request.client_can("sampling") && !response(request, "greeting")) {
          needed.asks.push_back(
              {"greeting", "sampling/createMessage", sampling("Generate a greeting", 50)});
        }
        if (needed.asks.empty()) return text("Nothing more to ask");
        return needed;
      });
  add(server, about("test_missing_capability", "Needs a client that samples."),
      [](const Json&, Request& request) -> ToolOutcome {
        if (response(request, "greeting")) return text("done");
        return InputRequired{
            {{"greeting", "sampling/createMessage", sampling("Generate a greeting", 50)}}};
      });
}

void offer_changes(mcp::Server& server) {
  // Each adds something and takes it away again: two changes of the list.
  add(server, about("test_trigger_tool_change", "Changes the list of tools."),
      [&server](const Json&, Request&) -> ToolOutcome {
        add(server, about("test_tool_that_comes_and_goes", "Is there for a moment."),
            [](const Json&, Request&) -> ToolOutcome { return text(""); });
        server.remove_tool("test_tool_that_comes_and_goes");
        return text("The list of tools has changed");
      });
  add(server, about("test_trigger_prompt_change", "Changes the list of prompts."),
      [&server](const Json&, Request&) -> ToolOutcome {
        server.prompts_changed();
        return text("The list of prompts has changed");
      });
}

void offer_schemas(mcp::Server& server) {
  auto modern =
      about("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", Json::parse(R"({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object",
          "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
          "contactMethod": {"type": "string", "enum": ["phone", "email"]},
          "phone": {"type": "string"}, "email": {"type": "string"}},
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]}, "else": {"required": ["email"]},
        "additionalProperties": false})"));
  modern.checks_itself = true;
  add(server, modern, [](const Json& arguments, Request&) -> ToolOutcome {
    return text("JSON Schema 2020-12 tool called with: " + arguments.dump());
  });
  auto mirrored =
      about("test_custom_headers", "Mirrors arguments in headers.",
            object_schema({{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}},
                           {"priority", {{"type", "integer"}, {"x-mcp-header", "Priority"}}},
                           {"verbose", {{"type", "boolean"}, {"x-mcp-header", "Verbose"}}},
                           {"query", {{"type", "string"}}}}));
  mirrored.checks_itself = true;
  add(server, mirrored, [](const Json& arguments, Request&) -> ToolOutcome {
    return text("Custom headers: " + arguments.dump());
  });
}

}  // namespace

void offer_tools(mcp::Server& server) {
  offer_content(server);
  offer_messages(server);
  offer_rounds(server);
  offer_changes(server);
  offer_schemas(server);
}

}  // namespace npuprof::conformance
