#include "mcp/core_offer.hpp"

#include "jsonrpc/write.hpp"
#include "mcp/request.hpp"

namespace npuprof::mcp {
namespace {

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
    CallContext context;
    context.stop = request.stop();
    context.progress = [&](const Progress& at) { request.progress(at.done, at.total, at.message); };
    context.log = [&](LogLevel level, std::string_view text) {
      request.log(log_level_name(level), definition_.name, Json(std::string(text)));
    };
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
      std::string quoted;
      jsonrpc::append_base64(quoted, image.data);
      output.content.push_back({{"type", "image"},
                                {"mimeType", image.mime_type},
                                {"data", quoted.substr(1, quoted.size() - 2)}});
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

}  // namespace

std::shared_ptr<ToolHandler> offer_of(Tool& tool) {
  return std::make_shared<CoreTool>(tool);
}

}  // namespace npuprof::mcp
