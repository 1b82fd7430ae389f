#include "fixtures.hpp"
#include "function_tool.hpp"

namespace npuprof::conformance {
namespace {

using mcp::InputRequired;
using mcp::Request;

class Resources : public mcp::ResourceHandler {
 public:
  Result<mcp::ResourceList> list(const std::string& cursor) override {
    if (!cursor.empty()) return fail({.code = "INVALID_ARGUMENTS", .message = "no such page"});
    mcp::ResourceList all;
    all.items = {{{"uri", "test://static-text"},
                  {"name", "static-text"},
                  {"description", "A static text."},
                  {"mimeType", "text/plain"}},
                 {{"uri", "test://static-binary"},
                  {"name", "static-binary"},
                  {"description", "A static image."},
                  {"mimeType", "image/png"}},
                 {{"uri", "test://watched-resource"},
                  {"name", "watched-resource"},
                  {"description", "A text to subscribe to."},
                  {"mimeType", "text/plain"}}};
    return all;
  }

  Json templates() override {
    return {{{"uriTemplate", "test://template/{id}/data"},
             {"name", "template-data"},
             {"description", "Data by its id."},
             {"mimeType", "application/json"}}};
  }

  ReadOutcome read(const std::string& uri, Request&) override {
    const auto plain = [&](const char* words) -> ReadOutcome {
      return Json{{{"uri", uri}, {"mimeType", "text/plain"}, {"text", words}}};
    };
    if (uri == "test://static-text") {
      return plain("This is the content of the static text resource.");
    }
    if (uri == "test://watched-resource") return plain("Watched resource content");
    if (uri == "test://static-binary") {
      return Json{{{"uri", uri}, {"mimeType", "image/png"}, {"blob", red_pixel}}};
    }
    constexpr std::string_view begin = "test://template/";
    constexpr std::string_view end = "/data";
    if (uri.starts_with(begin) && uri.ends_with(end) && uri.size() > begin.size() + end.size()) {
      const auto id = uri.substr(begin.size(), uri.size() - begin.size() - end.size());
      const Json data = {{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
      return Json{{{"uri", uri}, {"mimeType", "application/json"}, {"text", data.dump()}}};
    }
    return NotFound{};
  }

  bool has_completion() const override { return true; }
};

class FunctionPrompt : public mcp::PromptHandler {
 public:
  using Body = std::function<mcp::BodyOutcome(const Json&, Request&)>;
  FunctionPrompt(Json definition, Body body)
      : definition_(std::move(definition)), body_(std::move(body)) {}
  Json definition() const override { return definition_; }
  mcp::BodyOutcome get(const Json& arguments, Request& request) override {
    return body_(arguments, request);
  }
  bool has_completion() const override { return true; }
  std::vector<std::string> complete(const std::string&, const std::string& prefix,
                                    const Json&) override {
    std::vector<std::string> values;
    for (const char* word : {"paris", "park", "party"}) {
      if (std::string_view(word).starts_with(prefix)) values.emplace_back(word);
    }
    return values;
  }

 private:
  Json definition_;
  Body body_;
};

Json from_user(Json block) {
  return {{"role", "user"}, {"content", std::move(block)}};
}

Json words(const std::string& text) {
  return from_user({{"type", "text"}, {"text", text}});
}

}  // namespace

void offer_resources(mcp::Server& server) {
  server.add(std::make_shared<Resources>());
}

void offer_prompts(mcp::Server& server) {
  const auto add = [&](const char* name, Json arguments, FunctionPrompt::Body body) {
    Json definition = {{"name", name}, {"description", "A prompt for testing."}};
    if (!arguments.empty()) definition["arguments"] = std::move(arguments);
    server.add(std::make_shared<FunctionPrompt>(std::move(definition), std::move(body)));
  };
  const auto required = [](const char* name) {
    return Json{{"name", name}, {"description", "An argument."}, {"required", true}};
  };
  add("test_simple_prompt", Json::array(), [](const Json&, Request&) {
    return Json{{"messages", {words("This is a simple prompt for testing.")}}};
  });
  add("test_prompt_with_arguments", {required("arg1"), required("arg2")},
      [](const Json& arguments, Request&) {
        return Json{{"messages",
                     {words("Prompt with arguments: arg1='" + arguments.value("arg1", "") +
                            "', arg2='" + arguments.value("arg2", "") + "'")}}};
      });
  add("test_prompt_with_embedded_resource", {required("resourceUri")},
      [](const Json& arguments, Request&) {
        return Json{{"messages",
                     {from_user({{"type", "resource"},
                                 {"resource",
                                  {{"uri", arguments.at("resourceUri")},
                                   {"mimeType", "text/plain"},
                                   {"text", "Embedded resource content for testing."}}}}),
                      words("Please process the embedded resource above.")}}};
      });
  add("test_prompt_with_image", Json::array(), [](const Json&, Request&) {
    return Json{{"messages",
                 {from_user({{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}}),
                  words("Please analyze the image above.")}}};
  });
  add("test_input_required_result_prompt", Json::array(),
      [](const Json&, Request& request) -> mcp::BodyOutcome {
        if (!response(request, "user_context")) {
          return InputRequired{{{"user_context", "elicitation/create",
                                 ask_for("What context should the prompt use?", "context")}}};
        }
        return Json{
            {"messages", {words("Context: " + filled_in(request, "user_context", "context"))}}};
      });
}

}  // namespace npuprof::conformance
