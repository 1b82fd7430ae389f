#include "mcp/tool_box.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "core/error_codes.hpp"
#include "jsonrpc/write.hpp"

namespace npuprof::mcp {
namespace {

std::optional<Schema> compiled(const Json& schema, const std::string& tool) {
  if (schema.is_null()) return std::nullopt;
  auto ready = Schema::compile(schema);
  if (!ready) throw std::logic_error("tool " + tool + ": " + ready.error().message);
  return *std::move(ready);
}

// Older clients refuse a whole result for a kind of content that they don't know.
bool understands(Revision revision, const Json& block) {
  const auto type = block.value("type", "");
  if (type == "resource_link") return revision >= Revision::r2025_06_18;
  if (type == "audio") return revision >= Revision::r2025_03_26;
  return true;
}

Json text_block(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

Json in_words(const Json& block) {
  if (block.contains("uri")) {
    return text_block(block.value("name", "") + ": " + block.value("uri", ""));
  }
  return text_block("[" + block.value("type", "content") +
                    " left out: the client's revision has "
                    "no such content]");
}

}  // namespace

ToolOutput ToolHandler::refused(const Error& error) const {
  std::string text = error.code + ": " + error.message;
  if (!error.remedy.empty()) text += "\nWhat to do: " + error.remedy;
  return {.text = std::move(text), .is_error = true};
}

void ToolBox::add(std::shared_ptr<ToolHandler> handler) {
  const auto& definition = handler->definition();
  auto tool = std::make_shared<OfferedTool>();
  if (!definition.checks_itself) tool->input = compiled(definition.input_schema, definition.name);
  tool->output = compiled(definition.output_schema, definition.name);
  tool->handler = std::move(handler);
  const std::unique_lock lock(mutex_);
  if (!tools_.emplace(definition.name, std::move(tool)).second) {
    throw std::logic_error("two tools are called " + definition.name);
  }
}

bool ToolBox::remove(const std::string& name) {
  const std::unique_lock lock(mutex_);
  return tools_.erase(name) > 0;
}

bool ToolBox::empty() const {
  const std::shared_lock lock(mutex_);
  return tools_.empty();
}

bool ToolBox::any_task() const {
  const std::shared_lock lock(mutex_);
  return std::any_of(tools_.begin(), tools_.end(), [](const auto& entry) {
    return entry.second->handler->definition().tasks != TaskSupport::none;
  });
}

std::shared_ptr<const OfferedTool> ToolBox::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : found->second;
}

Json ToolBox::list(Revision revision) const {
  Json tools = Json::array();
  const std::shared_lock lock(mutex_);
  for (const auto& [name, tool] : tools_) {
    const auto& definition = tool->handler->definition();
    Json item = {{"name", name}, {"inputSchema", definition.input_schema}};
    if (!definition.title.empty()) item["title"] = definition.title;
    if (!definition.description.empty()) item["description"] = definition.description;
    if (!definition.annotations.is_null()) item["annotations"] = definition.annotations;
    if (!definition.meta.is_null()) item["_meta"] = definition.meta;
    if (revision >= Revision::r2025_06_18 && !definition.output_schema.is_null()) {
      item["outputSchema"] = definition.output_schema;
    }
    if (revision == Revision::r2025_11_25 && definition.tasks != TaskSupport::none) {
      item["execution"] = {
          {"taskSupport", definition.tasks == TaskSupport::required ? "required" : "optional"}};
    }
    tools.push_back(std::move(item));
  }
  return tools;
}

ToolOutcome ToolBox::run(const OfferedTool& tool, const Json& arguments, Request& request) {
  try {
    if (tool.input) {
      if (auto checked = tool.input->check(arguments); !checked) {
        return tool.handler->refused(checked.error());
      }
    }
    auto outcome = tool.handler->call(arguments, request);
    const auto* output = std::get_if<ToolOutput>(&outcome);
    if (output && tool.output && !(output->is_error && output->structured.is_null())) {
      if (auto checked = tool.output->check(output->structured); !checked) {
        const auto& name = tool.handler->definition().name;
        spdlog::error("{}: the result breaks the tool's own output schema: {}", name,
                      checked.error().message);
        return tool.handler->refused(
            {.code = codes::internal,
             .message = "the call ran, but its result breaks the tool's own output schema (" +
                        checked.error().details.dump() + ")",
             .remedy = "Report this as a defect of the server.",
             .who = Who::administrator});
      }
    }
    return outcome;
  } catch (const std::exception& e) {
    spdlog::error("{}: {}", tool.handler->definition().name, e.what());
    return tool.handler->refused({.code = codes::internal,
                                  .message = std::string("the call broke off: ") + e.what(),
                                  .remedy = "Report this as a defect of the server.",
                                  .who = Who::administrator});
  }
}

void append_tool_result(std::string& out, const ToolOutput& output, const Request& request) {
  out += R"({"content":[)";
  bool first = true;
  if (!output.text.empty()) {
    out.reserve(out.size() + output.text.size() + output.text.size() / 16 + 256);
    out += R"({"type":"text","text":)";
    jsonrpc::append_string(out, output.text);
    out += '}';
    first = false;
  }
  if (output.content.is_array()) {
    for (const auto& block : output.content) {
      if (!first) out += ',';
      first = false;
      jsonrpc::append(out, understands(request.revision(), block) ? block : in_words(block));
    }
  }
  out += ']';
  if (!output.structured.is_null() && request.revision() >= Revision::r2025_06_18) {
    out += R"(,"structuredContent":)";
    jsonrpc::append(out, output.structured);
  }
  if (output.is_error) out += R"(,"isError":true)";
  if (request.modern() && output.meta.is_null()) {
    out += request.stamp().tail;
  } else if (!output.meta.is_null()) {
    Json about = output.meta;
    if (request.modern()) {
      out += R"(,"resultType":"complete")";
      about[meta::server_info] = request.stamp().server_info;
    }
    out += R"(,"_meta":)";
    jsonrpc::append(out, about);
  }
  out += '}';
}

Json tool_result(const ToolOutput& output, Revision revision) {
  Json content = Json::array();
  if (!output.text.empty()) content.push_back(text_block(output.text));
  if (output.content.is_array()) {
    for (const auto& block : output.content) {
      content.push_back(understands(revision, block) ? block : in_words(block));
    }
  }
  Json result = {{"content", std::move(content)}};
  if (!output.structured.is_null() && revision >= Revision::r2025_06_18) {
    result["structuredContent"] = output.structured;
  }
  if (output.is_error) result["isError"] = true;
  if (!output.meta.is_null()) result["_meta"] = output.meta;
  return result;
}

}  // namespace npuprof::mcp
