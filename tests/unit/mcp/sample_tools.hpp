#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/tool.hpp"
#include "mcp/offer.hpp"

namespace npuprof::mcp {

// A core tool made of a function.
class FunctionTool : public Tool {
 public:
  using Body = std::function<ToolResult(const Json&, CallContext&)>;
  FunctionTool(ToolSpec spec, Body body) : spec_(std::move(spec)), body_(std::move(body)) {}
  const ToolSpec& spec() const override { return spec_; }
  ToolResult call(const Json& arguments, CallContext& context) override {
    return body_(arguments, context);
  }

 private:
  ToolSpec spec_;
  Body body_;
};

inline ToolSpec spec_of(std::string name) {
  return {.name = std::move(name),
          .title = "A tool",
          .description = "For a test.",
          .input_schema = {{"type", "object"},
                           {"properties", {{"text", {{"type", "string"}}}}},
                           {"additionalProperties", false}},
          .output_schema = {{"type", "object"},
                            {"properties", {{"ok", {{"type", "boolean"}}}}},
                            {"required", {"ok"}}}};
}

}  // namespace npuprof::mcp
