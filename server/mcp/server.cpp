#include "mcp/server.hpp"

#include <spdlog/spdlog.h>

#include <unordered_map>

#include "jsonrpc/write.hpp"
#include "mcp/core_offer.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::uint64_t list_ttl_ms = 300'000;

Json implementation(const ServerInfo& info) {
  Json server = {{"name", info.name}, {"version", info.version}};
  if (!info.title.empty()) server["title"] = info.title;
  return server;
}

std::shared_ptr<const Stamp> stamp_of(const ServerInfo& info) {
  auto stamp = std::make_shared<Stamp>();
  stamp->server_info = implementation(info);
  stamp->tail = R"(,"resultType":"complete","_meta":)";
  jsonrpc::append(stamp->tail, Json{{meta::server_info, stamp->server_info}});
  return stamp;
}

Json supported_revisions() {
  Json names = Json::array();
  for (auto name = revision_names.rbegin(); name != revision_names.rend(); ++name) {
    names.push_back(*name);
  }
  return names;
}

}  // namespace

Server::Server(ServerInfo info, ServerLimits limits)
    : info_(std::move(info)),
      stamp_(stamp_of(info_)),
      page_(limits.page),
      workers_(limits.threads, limits.queued) {}

Server::~Server() {
  for (auto* provider : watched_) provider->watch({});
}

void Server::add(std::shared_ptr<ToolHandler> tool) {
  tools_.add(std::move(tool));
  subscriptions_.list_changed(Change::tools);
}

void Server::add(std::shared_ptr<ResourceHandler> resources) {
  resources_.add(std::move(resources));
  subscriptions_.list_changed(Change::resources);
}

void Server::add(std::shared_ptr<PromptHandler> prompt) {
  prompts_.add(std::move(prompt));
  subscriptions_.list_changed(Change::prompts);
}

void Server::add(Tool& tool) {
  add(offer_of(tool));
}

void Server::add(ResourceProvider& provider) {
  add(offer_of(provider));
  watched_.push_back(&provider);
  provider.watch({.updated = [this](const std::string& uri) { resource_updated(uri); },
                  .list_changed = [this] { resources_changed(); }});
}

void Server::add(Prompt& prompt) {
  add(offer_of(prompt));
}

bool Server::remove_tool(const std::string& name) {
  if (!tools_.remove(name)) return false;
  subscriptions_.list_changed(Change::tools);
  return true;
}

bool Server::remove_prompt(const std::string& name) {
  if (!prompts_.remove(name)) return false;
  subscriptions_.list_changed(Change::prompts);
  return true;
}

std::shared_ptr<Session> Server::open_session(Session::Kind kind, std::shared_ptr<Outlet> outlet) {
  auto session = std::make_shared<Session>(kind, std::move(outlet));
  subscriptions_.watch(session);
  return session;
}

std::shared_ptr<const Json> Server::input_schema(const jsonrpc::Message& message) const {
  if (message.method != "tools/call" || !message.params.is_object()) return nullptr;
  const auto name = message.params.find("name");
  if (name == message.params.end() || !name->is_string()) return nullptr;
  const auto tool = tools_.find(name->get_ref<const std::string&>());
  if (!tool) return nullptr;
  return {tool, &tool->handler->definition().input_schema};
}

void Server::stop_calls() {
  for (const auto& session : subscriptions_.sessions()) session->stop_calls();
}

const Server::Method* Server::method_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Method> methods = {
      {"initialize", {&Server::initialize, true, false, false}},
      {"server/discover", {&Server::discover, false, true, false}},
      {"ping", {&Server::ping, true, false, false}},
      {"logging/setLevel", {&Server::set_log_level, true, false, false}},
      {"tools/list", {&Server::list_tools, true, true, false}},
      {"tools/call", {&Server::call_tool, true, true, false}},
      {"resources/list", {&Server::list_resources, true, true, true}},
      {"resources/templates/list", {&Server::list_templates, true, true, true}},
      {"resources/read", {&Server::read_resource, true, true, true}},
      {"resources/subscribe", {&Server::subscribe, true, false, false}},
      {"resources/unsubscribe", {&Server::unsubscribe, true, false, false}},
      {"prompts/list", {&Server::list_prompts, true, true, false}},
      {"prompts/get", {&Server::get_prompt, true, true, true}},
      {"completion/complete", {&Server::complete, true, true, true}},
      {"tasks/get", {&Server::get_task, true, true, false}},
      {"tasks/update", {&Server::update_task, false, true, false}},
      {"tasks/cancel", {&Server::cancel_task, true, true, false}},
      {"tasks/result", {&Server::task_result, true, false, false}},
      {"tasks/list", {&Server::list_tasks, true, false, false}},
      {"subscriptions/listen", {&Server::listen, false, true, false}},
  };
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : &found->second;
}

void Server::receive(const std::shared_ptr<Session>& session, jsonrpc::Message&& message,
                     const std::shared_ptr<Reply>& reply) {
  switch (message.kind) {
    case jsonrpc::Message::Kind::request:
      take_request(std::make_shared<Request>(stamp_, session, reply, std::move(message)));
      return;
    case jsonrpc::Message::Kind::notification:
      take_notification(*session, message);
      return;
    case jsonrpc::Message::Kind::result:
    case jsonrpc::Message::Kind::error:
      session->resolve(std::move(message));
      return;
  }
}

void Server::take_notification(Session& session, const jsonrpc::Message& message) {
  if (message.method == "notifications/cancelled") {
    const auto id = message.params.find("requestId");
    if (message.params.is_object() && id != message.params.end()) session.cancel_call(*id);
  }
}

void Server::take_request(const RequestPtr& request) {
  auto& session = request->session();
  const auto& method_name = request->method();
  const Method* method = method_of(method_name);
  if (!request->meta().contains(meta::revision) && session.takes_bare_calls()) {
    if (const auto tool = tools_.find(method_name)) {
      request->settle_bare();
      if (!request->open()) {
        request->fail({jsonrpc::invalid_request, "this id is in use by an open call"});
        return;
      }
      call_bare(request, tool);
      return;
    }
  }
  if (session.kind() == Session::Kind::bare) {
    request->fail({jsonrpc::method_not_found, "unknown method: " + method_name.substr(0, 100)});
    return;
  }
  const auto legacy = session.revision();
  if (request->meta().contains(meta::revision)) {
    if (!settle_modern(*request)) return;
  } else if (legacy) {
    request->settle(*legacy, session.client_capabilities());
  } else if (method && !(method_name == "initialize" || method_name == "ping")) {
    request->fail(
        {jsonrpc::invalid_params, "the request has no _meta[\"" + std::string(meta::revision) +
                                      "\"], and there was no initialize"},
        400);
    return;
  }
  if (!method || !(request->modern() ? method->modern : method->legacy)) {
    request->fail({jsonrpc::method_not_found, "unknown method: " + method_name.substr(0, 100)});
    return;
  }
  if (!request->open()) {
    request->fail({jsonrpc::invalid_request, "this id is in use by an open call"});
    return;
  }
  if (method->waits) {
    run(request, [this, request, method] { (this->*method->serve)(request); });
  } else {
    (this->*method->serve)(request);
  }
}

bool Server::settle_modern(Request& request) const {
  const auto& about = request.meta();
  const auto& name = about.at(meta::revision);
  constexpr auto unknown = Revision::r2024_11_05;  // as any other that is not modern
  const Revision revision =
      name.is_string() ? revision_from(name.get_ref<const std::string&>()).value_or(unknown)
                       : unknown;
  request.settle(newest_modern, Json::object());
  if (!name.is_string()) {
    request.fail(
        {jsonrpc::invalid_params, "_meta[\"" + std::string(meta::revision) + "\"] is a string"},
        400);
    return false;
  }
  if (!is_modern(revision)) {
    request.fail({unsupported_revision,
                  "Unsupported protocol version",
                  {{"supported", supported_revisions()}, {"requested", name}}});
    return false;
  }
  const auto capabilities = about.find(meta::client_capabilities);
  if (capabilities == about.end() || !capabilities->is_object()) {
    request.fail({jsonrpc::invalid_params, "_meta[\"" + std::string(meta::client_capabilities) +
                                               "\"] is missing or no object"},
                 400);
    return false;
  }
  request.settle(revision, *capabilities);
  return true;
}

void Server::run(const RequestPtr& request, std::function<void()> work) {
  if (!workers_.post(std::move(work))) {
    request->fail({jsonrpc::server_error, "the server is busy: too many open calls"}, 503);
  }
}

Json Server::capabilities(Revision revision) const {
  Json offered = Json::object();
  if (!tools_.empty()) offered["tools"] = {{"listChanged", true}};
  if (!resources_.empty()) offered["resources"] = {{"subscribe", true}, {"listChanged", true}};
  if (!prompts_.empty()) offered["prompts"] = {{"listChanged", true}};
  if (resources_.has_completion() || prompts_.has_completion()) {
    offered["completions"] = Json::object();
  }
  if (!is_modern(revision)) offered["logging"] = Json::object();
  if (tools_.any_task()) {
    if (is_modern(revision)) {
      offered["extensions"] = {{meta::tasks_extension, Json::object()}};
    } else if (revision == Revision::r2025_11_25) {
      offered["tasks"] = {{"list", Json::object()},
                          {"cancel", Json::object()},
                          {"requests", {{"tools", {{"call", Json::object()}}}}}};
    }
  }
  return offered;
}

void Server::initialize(const RequestPtr& request) {
  const auto& params = request->params();
  const auto version = params.find("protocolVersion");
  if (version == params.end() || !version->is_string()) {
    request->fail({jsonrpc::invalid_params, "protocolVersion is missing or no string"});
    return;
  }
  auto revision = revision_from(version->get_ref<const std::string&>()).value_or(newest_legacy);
  if (is_modern(revision)) revision = newest_legacy;
  const auto capabilities_in = params.find("capabilities");
  const auto client = params.find("clientInfo");
  const bool first = request->session().initialize(
      revision,
      capabilities_in != params.end() && capabilities_in->is_object() ? *capabilities_in
                                                                      : Json::object(),
      client != params.end() ? *client : Json());
  if (!first) {
    request->fail({jsonrpc::invalid_request, "initialize came before; nothing was changed"});
    return;
  }
  Json result = {{"protocolVersion", to_string(revision)},
                 {"capabilities", capabilities(revision)},
                 {"serverInfo", implementation(info_)}};
  if (!info_.instructions.empty()) result["instructions"] = info_.instructions;
  request->answer(std::move(result));
}

void Server::discover(const RequestPtr& request) {
  Json result = {{"supportedVersions", supported_revisions()},
                 {"capabilities", capabilities(request->revision())}};
  if (!info_.instructions.empty()) result["instructions"] = info_.instructions;
  request->answer(std::move(result), {.ttl_ms = list_ttl_ms, .is_public = true});
}

void Server::ping(const RequestPtr& request) {
  request->answer(Json::object());
}

void Server::set_log_level(const RequestPtr& request) {
  const auto level = request->params().find("level");
  const int severity = level != request->params().end() && level->is_string()
                           ? log_severity(level->get_ref<const std::string&>())
                           : -1;
  if (severity < 0) {
    request->fail({jsonrpc::invalid_params,
                   "level is one of debug, info, notice, warning, error, "
                   "critical, alert, emergency"});
    return;
  }
  request->session().set_log_level(severity);
  request->answer(Json::object());
}

void Server::list_tools(const RequestPtr& request) {
  answer_page(*request, "tools", tools_.list(request->revision()));
}

void Server::call_tool(const RequestPtr& request) {
  const auto& params = request->params();
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    request->fail({jsonrpc::invalid_params, "name is missing or no string"});
    return;
  }
  const auto tool = tools_.find(name->get_ref<const std::string&>());
  if (!tool) {
    request->fail({jsonrpc::invalid_params,
                   "Unknown tool: " + name->get_ref<const std::string&>().substr(0, 100)});
    return;
  }
  static const Json none = Json::object();
  const auto given = params.find("arguments");
  const Json* arguments = given == params.end() || given->is_null() ? &none : &*given;
  if (!arguments->is_object()) {
    request->fail({jsonrpc::invalid_params, "arguments is an object"});
    return;
  }
  if (!take_continuation(*request)) return;
  if (call_as_task(request, tool, *arguments)) return;
  auto work = [this, request, tool, arguments] {
    for (int round = 1;; ++round) {
      auto outcome = ToolBox::run(*tool, *arguments, *request);
      const auto* needed = std::get_if<InputRequired>(&outcome);
      if (!needed) {
        finish_tool_call(*request, std::move(outcome));
        return;
      }
      if (!settle_input(*request, *needed, round)) return;
    }
  };
  if (tool->handler->definition().quick) {
    work();
  } else {
    run(request, std::move(work));
  }
}

void Server::finish_tool_call(Request& request, ToolOutcome&& outcome) {
  if (auto* error = std::get_if<jsonrpc::RpcError>(&outcome)) {
    request.fail(*error);
    return;
  }
  const auto* output = std::get_if<ToolOutput>(&outcome);
  std::string text;
  jsonrpc::begin_result(text, request.id());
  append_tool_result(text, *output, request);
  text += '}';
  request.answer_text(std::move(text));
}

void Server::call_bare(const RequestPtr& request, const std::shared_ptr<const OfferedTool>& tool) {
  run(request, [request, tool] {
    auto outcome = ToolBox::run(*tool, request->params(), *request);
    if (auto* error = std::get_if<jsonrpc::RpcError>(&outcome)) {
      request->fail(*error);
      return;
    }
    auto* output = std::get_if<ToolOutput>(&outcome);
    if (!output) {
      request->fail({jsonrpc::server_error, "the tool needs input that a bare call can't give"});
      return;
    }
    if (!output->is_error) {
      request->answer(output->structured.is_null() ? Json(output->text)
                                                   : std::move(output->structured));
      return;
    }
    Json data = output->structured.is_object() ? output->structured.value("error", Json())
                                               : std::move(output->structured);
    const bool bad_arguments = data.is_object() && data.value("code", "") == "INVALID_ARGUMENTS";
    const std::string message =
        data.is_object() ? data.value("message", output->text) : output->text;
    request->fail({bad_arguments ? jsonrpc::invalid_params : jsonrpc::server_error, message,
                   std::move(data)});
  });
}

}  // namespace npuprof::mcp
