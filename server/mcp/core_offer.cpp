#include "mcp/core_offer.hpp"

#include "core/error_codes.hpp"
#include "jsonrpc/write.hpp"
#include "mcp/request.hpp"

namespace npuprof::mcp {
namespace {

std::string base64_of(std::string_view bytes) {
  std::string quoted;
  jsonrpc::append_base64(quoted, bytes);
  return quoted.substr(1, quoted.size() - 2);
}

CallContext context_of(Request& request, const std::string& who) {
  CallContext context;
  context.stop = request.stop();
  context.progress = [&](const Progress& at) { request.progress(at.done, at.total, at.message); };
  context.log = [&request, who](LogLevel level, std::string_view text) {
    request.log(log_level_name(level), who, Json(std::string(text)));
  };
  return context;
}

class CoreTool : public ToolHandler {
 public:
  explicit CoreTool(Tool& tool) : tool_(tool) {
    const auto& spec = tool.spec();
    const auto& hints = spec.annotations;
    definition_ = {.name = spec.name,
                   .title = spec.title,
                   .description = spec.description,
                   .input_schema = spec.input_schema,
                   .output_schema = spec.output_schema,
                   .annotations = {{"readOnlyHint", hints.read_only},
                                   {"destructiveHint", hints.destructive},
                                   {"idempotentHint", hints.idempotent},
                                   {"openWorldHint", hints.open_world}},
                   .quick = spec.quick};
    if (!spec.title.empty()) definition_.annotations["title"] = spec.title;
  }

  const ToolDefinition& definition() const override { return definition_; }

  ToolOutcome call(const Json& arguments, Request& request) override {
    auto context = context_of(request, definition_.name);
    return output_of(tool_.call(arguments, context));
  }

  ToolOutput refused(const Error& error) const override { return output_of(failed(error)); }

 private:
  static ToolOutput output_of(ToolResult&& result) {
    ToolOutput output{.text = std::move(result.text),
                      .structured = std::move(result.structured),
                      .is_error = result.is_error};
    if (!result.images.empty() || !result.links.empty()) output.content = Json::array();
    for (const auto& image : result.images) {
      output.content.push_back(
          {{"type", "image"}, {"mimeType", image.mime_type}, {"data", base64_of(image.data)}});
    }
    for (const auto& link : result.links) {
      Json block = {{"type", "resource_link"}, {"uri", link.uri}, {"name", link.name}};
      if (!link.mime_type.empty()) block["mimeType"] = link.mime_type;
      if (!link.description.empty()) block["description"] = link.description;
      output.content.push_back(std::move(block));
    }
    return output;
  }

  Tool& tool_;
  ToolDefinition definition_;
};

void set_text(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

std::map<std::string, std::string> texts_of(const Json& arguments) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : arguments.items()) {
    if (value.is_string()) texts.emplace(name, value.get<std::string>());
  }
  return texts;
}

class CoreResources : public ResourceHandler {
 public:
  explicit CoreResources(ResourceProvider& provider) : provider_(provider) {}

  Result<ResourceList> list(const std::string& cursor) override {
    auto page = provider_.list(cursor);
    if (!page) return fail(page.error());
    ResourceList list{.next_cursor = page->next_cursor};
    for (const auto& info : page->items) {
      Json item = {{"uri", info.uri}, {"name", info.name}};
      set_text(item, "title", info.title);
      set_text(item, "description", info.description);
      set_text(item, "mimeType", info.mime_type);
      if (info.size) item["size"] = *info.size;
      list.items.push_back(std::move(item));
    }
    return list;
  }

  Json templates() override {
    Json templates = Json::array();
    for (const auto& info : provider_.templates()) {
      Json item = {{"uriTemplate", info.uri_template}, {"name", info.name}};
      set_text(item, "title", info.title);
      set_text(item, "description", info.description);
      set_text(item, "mimeType", info.mime_type);
      templates.push_back(std::move(item));
    }
    return templates;
  }

  ReadOutcome read(const std::string& uri, Request& request) override {
    auto context = context_of(request, "resources");
    auto contents = provider_.read(uri, context);
    if (!contents) {
      if (contents.error().code == codes::not_found) return NotFound{};
      return jsonrpc::RpcError{jsonrpc::internal_error, contents.error().message,
                               Json(contents.error())};
    }
    Json list = Json::array();
    for (auto& content : *contents) {
      Json item = {{"uri", content.uri}};
      set_text(item, "mimeType", content.mime_type);
      if (content.is_text) {
        item["text"] = std::move(content.bytes);
      } else {
        item["blob"] = base64_of(content.bytes);
      }
      list.push_back(std::move(item));
    }
    return list;
  }

  bool has_completion() const override { return true; }

  std::vector<std::string> complete(const std::string& uri_template, const std::string& variable,
                                    const std::string& prefix, const Json& chosen) override {
    return provider_.complete(uri_template, variable, prefix, texts_of(chosen));
  }

 private:
  ResourceProvider& provider_;
};

class CorePrompt : public PromptHandler {
 public:
  explicit CorePrompt(Prompt& prompt) : prompt_(prompt) {}

  Json definition() const override {
    const auto& spec = prompt_.spec();
    Json definition = {{"name", spec.name}};
    set_text(definition, "title", spec.title);
    set_text(definition, "description", spec.description);
    for (const auto& argument : spec.arguments) {
      Json item = {{"name", argument.name}, {"required", argument.required}};
      set_text(item, "description", argument.description);
      definition["arguments"].push_back(std::move(item));
    }
    return definition;
  }

  BodyOutcome get(const Json& arguments, Request&) override {
    auto messages = prompt_.messages(texts_of(arguments));
    if (!messages) {
      return jsonrpc::RpcError{jsonrpc::invalid_params, messages.error().message,
                               Json(messages.error())};
    }
    Json result = {{"messages", Json::array()}};
    set_text(result, "description", prompt_.spec().description);
    for (auto& message : *messages) {
      result["messages"].push_back(
          {{"role", message.role == PromptMessage::Role::user ? "user" : "assistant"},
           {"content", {{"type", "text"}, {"text", std::move(message.text)}}}});
    }
    return result;
  }

  bool has_completion() const override { return true; }

  std::vector<std::string> complete(const std::string& argument, const std::string& prefix,
                                    const Json& chosen) override {
    return prompt_.complete(argument, prefix, texts_of(chosen));
  }

 private:
  Prompt& prompt_;
};

}  // namespace

std::shared_ptr<ResourceHandler> offer_of(ResourceProvider& provider) {
  return std::make_shared<CoreResources>(provider);
}

std::shared_ptr<PromptHandler> offer_of(Prompt& prompt) {
  return std::make_shared<CorePrompt>(prompt);
}

std::shared_ptr<ToolHandler> offer_of(Tool& tool) {
  return std::make_shared<CoreTool>(tool);
}

}  // namespace npuprof::mcp
