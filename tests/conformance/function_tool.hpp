#pragma once

#include <functional>
#include <thread>

#include "mcp/offer.hpp"
#include "mcp/request.hpp"

namespace npuprof::conformance {

// A tool made of a function.
class FunctionTool : public mcp::ToolHandler {
 public:
  using Body = std::function<mcp::ToolOutcome(const Json&, mcp::Request&)>;

  FunctionTool(mcp::ToolDefinition definition, Body body)
      : definition_(std::move(definition)), body_(std::move(body)) {}
  const mcp::ToolDefinition& definition() const override { return definition_; }
  mcp::ToolOutcome call(const Json& arguments, mcp::Request& request) override {
    return body_(arguments, request);
  }

 private:
  mcp::ToolDefinition definition_;
  Body body_;
};

inline mcp::ToolOutput text(std::string words, bool is_error = false) {
  mcp::ToolOutput output;
  output.text = std::move(words);
  output.is_error = is_error;
  return output;
}

inline mcp::ToolOutput content(Json blocks) {
  mcp::ToolOutput output;
  output.content = std::move(blocks);
  return output;
}

inline Json object_schema(Json properties, Json required = Json::array()) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

inline Json ask_for(const std::string& message, const std::string& field,
                    const std::string& type = "string") {
  return {{"mode", "form"},
          {"message", message},
          {"requestedSchema", object_schema({{field, {{"type", type}}}}, {field})}};
}

// The client's answer under that key, or null.
inline const Json* response(const mcp::Request& request, const char* key) {
  const auto found = request.input_responses().find(key);
  return found == request.input_responses().end() ? nullptr : &*found;
}

// What the user filled in there, or "".
inline std::string filled_in(const mcp::Request& request, const char* key, const char* field) {
  const auto* given = response(request, key);
  if (given == nullptr || !given->contains("content") || !given->at("content").is_object()) {
    return "";
  }
  const auto& form = given->at("content");
  return form.contains(field) && form.at(field).is_string() ? form.at(field).get<std::string>()
                                                            : "";
}

// Returns at the end of the time, or earlier when the call is stopped (false then).
bool pause_for(std::chrono::milliseconds time, const mcp::Request& request);

}  // namespace npuprof::conformance
