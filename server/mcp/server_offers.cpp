// The methods of Server for resources, prompts, completion, subscriptions and pages.
#include <charconv>

#include "jsonrpc/write.hpp"
#include "mcp/server.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::uint64_t list_ttl_ms = 300'000;
constexpr std::size_t max_completions = 100;
constexpr std::size_t max_watched = 1000;  // resources and tasks of one subscriptions/listen

// A string parameter, or null where it is missing or something else.
const std::string* text_of(const Json& params, const char* name) {
  const auto found = params.find(name);
  return found != params.end() && found->is_string() ? &found->get_ref<const std::string&>()
                                                     : nullptr;
}

std::string cursor_of(const Json& params) {
  const auto* cursor = text_of(params, "cursor");
  return cursor ? *cursor : std::string();
}

// Where a list's page begins; std::nullopt for a cursor that is none of ours.
std::optional<std::size_t> offset_of(const std::string& cursor, std::size_t size) {
  if (cursor.empty()) return 0;
  std::size_t offset = 0;
  const auto end = cursor.data() + cursor.size();
  const auto [rest, error] = std::from_chars(cursor.data(), end, offset);
  if (error != std::errc() || rest != end || offset >= size) return std::nullopt;
  return offset;
}

const jsonrpc::RpcError bad_cursor = {jsonrpc::invalid_params, "this cursor is none of this list"};

}  // namespace

void Server::answer_page(Request& request, const char* name, const Json& all) {
  const auto offset = offset_of(cursor_of(request.params()), all.size());
  if (!offset) {
    request.fail(bad_cursor);
    return;
  }
  const auto end = std::min(all.size(), *offset + page_);
  const auto at = [&](std::size_t index) {
    return all.begin() + static_cast<std::ptrdiff_t>(index);
  };
  Json result = {{name, Json(Json::array_t(at(*offset), at(end)))}};
  if (end < all.size()) result["nextCursor"] = std::to_string(end);
  request.answer(std::move(result), {.ttl_ms = list_ttl_ms, .is_public = true});
}

void Server::list_resources(const RequestPtr& request) {
  auto list = resources_.list(cursor_of(request->params()));
  if (!list) {
    request->fail(bad_cursor);
    return;
  }
  Json result = {{"resources", std::move(list->items)}};
  if (!list->next_cursor.empty()) result["nextCursor"] = list->next_cursor;
  request->answer(std::move(result), Caching{});
}

void Server::list_templates(const RequestPtr& request) {
  request->answer({{"resourceTemplates", resources_.templates()}},
                  {.ttl_ms = list_ttl_ms, .is_public = true});
}

void Server::read_resource(const RequestPtr& request) {
  const auto* uri = text_of(request->params(), "uri");
  if (!uri) {
    request->fail({jsonrpc::invalid_params, "uri is missing or no string"});
    return;
  }
  if (!take_continuation(*request)) return;
  for (int round = 1;; ++round) {
    auto outcome = resources_.read(*uri, *request);
    if (const auto* needed = std::get_if<InputRequired>(&outcome)) {
      if (settle_input(*request, *needed, round)) continue;
    } else if (auto* contents = std::get_if<Json>(&outcome)) {
      request->answer({{"contents", std::move(*contents)}}, Caching{});
    } else if (auto* error = std::get_if<jsonrpc::RpcError>(&outcome)) {
      request->fail(*error);
    } else {
      request->fail({request->modern() ? jsonrpc::invalid_params : legacy_resource_not_found,
                     "Resource not found",
                     {{"uri", *uri}}});
    }
    return;
  }
}

void Server::subscribe(const RequestPtr& request) {
  const auto* uri = text_of(request->params(), "uri");
  if (!uri) {
    request->fail({jsonrpc::invalid_params, "uri is missing or no string"});
  } else if (!request->session().subscribe(*uri)) {
    request->fail({jsonrpc::server_error, "too many subscriptions"});
  } else {
    request->answer(Json::object());
  }
}

void Server::unsubscribe(const RequestPtr& request) {
  const auto* uri = text_of(request->params(), "uri");
  if (!uri) {
    request->fail({jsonrpc::invalid_params, "uri is missing or no string"});
    return;
  }
  request->session().unsubscribe(*uri);
  request->answer(Json::object());
}

void Server::list_prompts(const RequestPtr& request) {
  answer_page(*request, "prompts", prompts_.list());
}

void Server::get_prompt(const RequestPtr& request) {
  const auto* name = text_of(request->params(), "name");
  const auto prompt = name ? prompts_.find(*name) : nullptr;
  if (!prompt) {
    request->fail({jsonrpc::invalid_params,
                   name ? "Unknown prompt: " + name->substr(0, 100) : "name is missing"});
    return;
  }
  const auto given = request->params().find("arguments");
  const Json arguments = given != request->params().end() ? *given : Json::object();
  if (!arguments.is_object()) {
    request->fail({jsonrpc::invalid_params, "arguments is an object"});
    return;
  }
  const auto definition = prompt->definition();
  for (const auto& [key, value] : arguments.items()) {
    if (!value.is_string()) {
      request->fail({jsonrpc::invalid_params, "arguments." + key + " is a string"});
      return;
    }
  }
  if (const auto wanted = definition.find("arguments"); wanted != definition.end()) {
    for (const auto& argument : *wanted) {
      const auto key = argument.at("name").get<std::string>();
      if (argument.value("required", false) && !arguments.contains(key)) {
        request->fail({jsonrpc::invalid_params, "arguments." + key + " is missing"});
        return;
      }
    }
  }
  if (!take_continuation(*request)) return;
  for (int round = 1;; ++round) {
    auto outcome = prompt->get(arguments, *request);
    if (const auto* needed = std::get_if<InputRequired>(&outcome)) {
      if (settle_input(*request, *needed, round)) continue;
    } else if (auto* body = std::get_if<Json>(&outcome)) {
      request->answer(std::move(*body));
    } else {
      request->fail(std::get<jsonrpc::RpcError>(std::move(outcome)));
    }
    return;
  }
}

void Server::complete(const RequestPtr& request) {
  const auto& params = request->params();
  const auto reference = params.find("ref");
  const auto argument = params.find("argument");
  if (reference == params.end() || !reference->is_object() || argument == params.end() ||
      !argument->is_object() || !text_of(*argument, "name") || !text_of(*argument, "value")) {
    request->fail({jsonrpc::invalid_params, "ref and argument {name, value} are objects"});
    return;
  }
  CompletionQuery query{.argument = *text_of(*argument, "name"),
                        .prefix = *text_of(*argument, "value")};
  if (const auto context = params.find("context");
      context != params.end() && context->is_object() && context->contains("arguments")) {
    query.chosen = context->at("arguments");
    if (!query.chosen.is_object()) query.chosen = Json::object();
  }
  const auto* type = text_of(*reference, "type");
  const auto* target = text_of(*reference, type && *type == "ref/prompt" ? "name" : "uri");
  std::vector<std::string> values;
  if (type && target && *type == "ref/prompt") {
    const auto prompt = prompts_.find(*target);
    if (!prompt) {
      request->fail({jsonrpc::invalid_params, "Unknown prompt: " + target->substr(0, 100)});
      return;
    }
    values = prompt->complete(query.argument, query.prefix, query.chosen);
  } else if (type && target && *type == "ref/resource") {
    query.reference = *target;
    values = resources_.complete(query);
  } else {
    request->fail({jsonrpc::invalid_params,
                   "ref is a ref/prompt with name or a ref/resource "
                   "with uri"});
    return;
  }
  const std::size_t total = values.size();
  if (total > max_completions) values.resize(max_completions);
  request->answer(
      {{"completion", {{"values", values}, {"total", total}, {"hasMore", total > values.size()}}}});
}

void Server::listen(const RequestPtr& request) {
  const auto& params = request->params();
  const auto wanted = params.find("notifications");
  if (wanted == params.end() || !wanted->is_object()) {
    request->fail({jsonrpc::invalid_params, "notifications is an object"});
    return;
  }
  const auto asks = [&](const char* name) {
    const auto found = wanted->find(name);
    return found != wanted->end() && found->is_boolean() && found->get<bool>();
  };
  Subscriptions::Filter filter{.tools = asks("toolsListChanged") && !tools_.empty(),
                               .prompts = asks("promptsListChanged") && !prompts_.empty(),
                               .resources = asks("resourcesListChanged") && !resources_.empty()};
  Json accepted = Json::object();
  if (filter.tools) accepted["toolsListChanged"] = true;
  if (filter.prompts) accepted["promptsListChanged"] = true;
  if (filter.resources) accepted["resourcesListChanged"] = true;
  const auto take = [&](const char* name, std::set<std::string>& into) {
    const auto list = wanted->find(name);
    if (list == wanted->end()) return true;
    if (!list->is_array() || list->size() > max_watched) return false;
    for (const auto& item : *list) {
      if (!item.is_string()) return false;
      into.insert(item.get<std::string>());
    }
    accepted[name] = *list;
    return true;
  };
  if (!resources_.empty() && !take("resourceSubscriptions", filter.uris)) {
    request->fail({jsonrpc::invalid_params, "resourceSubscriptions is a list of at most " +
                                                std::to_string(max_watched) + " URIs"});
    return;
  }
  if (wanted->contains("taskIds")) {
    if (!client_has_tasks(*request)) {
      request->fail({missing_client_capability,
                     "the client lacks the tasks extension",
                     {{"requiredCapabilities",
                       {{"extensions", {{meta::tasks_extension, Json::object()}}}}}}});
      return;
    }
    if (!take("taskIds", filter.tasks)) {
      request->fail({jsonrpc::invalid_params,
                     "taskIds is a list of at most " + std::to_string(max_watched) + " ids"});
      return;
    }
  }
  if (!subscriptions_.listen(request, std::move(filter), std::move(accepted))) {
    request->fail({jsonrpc::server_error, "too many subscriptions are open"}, 503);
  }
}

}  // namespace npuprof::mcp
