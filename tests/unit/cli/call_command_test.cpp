#include "cli/call_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace npuprof::cli {
namespace {

using testing::HasSubstr;

class ScriptedTool : public Tool {
 public:
  ScriptedTool(std::string name, ToolResult result) : result_(std::move(result)) {
    spec_.name = std::move(name);
    spec_.input_schema = {{"type", "object"},
                          {"additionalProperties", false},
                          {"properties",
                           {{"target", {{"type", "string"}}},
                            {"run_id", {{"type", "string"}}},
                            {"steps", {{"type", "integer"}}}}}};
  }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult call(const Json& arguments, CallContext& context) override {
    calls.push_back(arguments);
    waited_to_end = context.wait_to_end;
    if (during_call) during_call();
    return result_;
  }

  std::vector<Json> calls;
  bool waited_to_end = false;
  std::function<void()> during_call;

 private:
  ToolSpec spec_;
  ToolResult result_;
};

struct Called {
  ExitCode code;
  std::string out;
  std::string err;
  Json document() const { return Json::parse(out); }
};

Called call(const std::vector<Tool*>& tools, const CallOptions& options,
            const std::string& input = "", const std::stop_token& stop = {}) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = call_command(tools, options, {in, out, err, false}, stop);
  return {code, out.str(), err.str()};
}

TEST(CallCommand, writes_the_structured_result_and_nothing_else) {
  ScriptedTool tool("precheck", {.structured = {{"ok", true}}, .text = "fine"});
  const Called called = call({&tool}, {.tool = "precheck"});
  EXPECT_EQ(called.code, success);
  EXPECT_EQ(called.document(), Json({{"ok", true}}));
  EXPECT_EQ(called.err, "");
  EXPECT_TRUE(tool.waited_to_end);
}

TEST(CallCommand, puts_the_target_into_the_arguments) {
  ScriptedTool tool("precheck", {.structured = {{"ok", true}}, .text = ""});
  call({&tool}, {.tool = "precheck", .target = "a2", .json = R"({"steps": 3})"});
  ASSERT_EQ(tool.calls.size(), 1U);
  EXPECT_EQ(tool.calls[0], Json({{"steps", 3}, {"target", "a2"}}));
}

TEST(CallCommand, reads_the_arguments_from_standard_input) {
  ScriptedTool tool("precheck", {.structured = {{"ok", true}}, .text = ""});
  call({&tool}, {.tool = "precheck", .json = "-"}, R"({"steps": 4})");
  ASSERT_EQ(tool.calls.size(), 1U);
  EXPECT_EQ(tool.calls[0], Json({{"steps", 4}}));
}

TEST(CallCommand, names_the_tools_there_are) {
  ScriptedTool tool("precheck", {.structured = {{"ok", true}}, .text = ""});
  const Called called = call({&tool}, {.tool = "prechek"});
  EXPECT_EQ(called.code, usage);
  EXPECT_THAT(called.err, HasSubstr("prechek"));
  EXPECT_THAT(called.err, HasSubstr("precheck"));
  EXPECT_TRUE(tool.calls.empty());
}

TEST(CallCommand, refuses_what_is_no_json_object) {
  ScriptedTool tool("precheck", {.structured = {{"ok", true}}, .text = ""});
  for (const char* text : {"{", "[1]", "", "@/nowhere/at/all"}) {
    const Called called = call({&tool}, {.tool = "precheck", .json = text});
    EXPECT_NE(called.code, success) << text;
    EXPECT_EQ(called.document().at("ok"), false) << text;
    EXPECT_NE(called.err, "") << text;
  }
  EXPECT_TRUE(tool.calls.empty());
}

TEST(CallCommand, names_the_field_that_breaks_the_schema) {
  ScriptedTool tool("precheck", {.structured = {{"ok", true}}, .text = ""});
  const Called called = call({&tool}, {.tool = "precheck", .json = R"({"steps": "three"})"});
  EXPECT_EQ(called.code, usage);
  EXPECT_THAT(called.err, HasSubstr("steps"));
  EXPECT_TRUE(tool.calls.empty());
}

TEST(CallCommand, a_failed_tool_fails_the_command) {
  ScriptedTool tool("precheck", failed(Error{.code = "HOST_UNREACHABLE", .message = "no route"}));
  const Called called = call({&tool}, {.tool = "precheck"});
  EXPECT_EQ(called.code, failure);
  EXPECT_THAT(called.err, HasSubstr("no route"));
}

TEST(CallCommand, a_stop_ends_the_run_that_goes_on) {
  ScriptedTool tool(
      "collect_profile",
      {.structured = {{"ok", true}, {"run_id", "r1"}, {"state", "running"}}, .text = ""});
  ScriptedTool cancel(
      "cancel_run",
      {.structured = {{"ok", true}, {"run_id", "r1"}, {"state", "cancelled"}}, .text = ""});
  std::stop_source stop;
  tool.during_call = [&] { stop.request_stop(); };
  const Called called = call({&tool, &cancel}, {.tool = "collect_profile"}, "", stop.get_token());
  EXPECT_EQ(called.code, interrupted);
  ASSERT_EQ(cancel.calls.size(), 1U);
  EXPECT_EQ(cancel.calls[0], Json({{"run_id", "r1"}}));
  EXPECT_EQ(called.document().at("state"), "cancelled");
}

TEST(CallCommand, a_stop_leaves_an_ended_run_alone) {
  ScriptedTool tool(
      "collect_profile",
      {.structured = {{"ok", true}, {"run_id", "r1"}, {"state", "captured"}}, .text = ""});
  ScriptedTool cancel("cancel_run", {.structured = {{"ok", true}}, .text = ""});
  std::stop_source stop;
  tool.during_call = [&] { stop.request_stop(); };
  call({&tool, &cancel}, {.tool = "collect_profile"}, "", stop.get_token());
  EXPECT_TRUE(cancel.calls.empty());
}

}  // namespace
}  // namespace npuprof::cli
