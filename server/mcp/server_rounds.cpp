// The methods of Server for requests that need input from the client.
#include "core/sha256.hpp"
#include "jsonrpc/write.hpp"
#include "mcp/server.hpp"

namespace npuprof::mcp {
namespace {

constexpr int max_rounds = 10;  // of a legacy request, whose state never leaves the server

// What the state of a request is bound to.
std::string purpose_of(const Request& request) {
  std::string text = request.method() + "\n";
  for (const char* part : {"name", "uri", "arguments"}) {
    const auto found = request.params().find(part);
    if (found != request.params().end()) jsonrpc::append(text, *found);
    text += '\n';
  }
  return sha256_hex(text);
}

const char* capability_of(std::string_view method) {
  if (method == "elicitation/create") return "elicitation";
  if (method == "sampling/createMessage") return "sampling";
  if (method == "roots/list") return "roots";
  return nullptr;
}

}  // namespace

bool Server::take_continuation(Request& request) {
  const auto& params = request.params();
  if (!request.modern()) return true;
  Json responses = Json::object();
  Json state = nullptr;
  if (const auto given = params.find("inputResponses"); given != params.end()) {
    bool fits = given->is_object();
    if (fits) {
      for (const auto& response : *given) fits = fits && response.is_object();
    }
    if (!fits) {
      request.fail({jsonrpc::invalid_params, "inputResponses is an object of objects"});
      return false;
    }
    responses = *given;
  }
  if (const auto given = params.find("requestState"); given != params.end()) {
    auto opened = given->is_string()
                      ? continuation_.open(given->get_ref<const std::string&>(),
                                           purpose_of(request), std::chrono::system_clock::now())
                      : tl::unexpected<std::string>("requestState is a string");
    if (!opened) {
      request.fail({jsonrpc::invalid_params, opened.error()});
      return false;
    }
    state = *std::move(opened);
  }
  request.set_continuation(std::move(responses), std::move(state));
  return true;
}

bool Server::settle_input(Request& request, const InputRequired& needed, int round) {
  for (const auto& ask : needed.asks) {
    const char* capability = capability_of(ask.method);
    if (capability == nullptr) {
      request.fail({jsonrpc::internal_error, "no client can be asked for " + ask.method});
      return false;
    }
    if (!request.client_can(capability)) {
      request.fail({request.modern() ? missing_client_capability : jsonrpc::invalid_request,
                    std::string("this needs a client with the capability ") + capability,
                    {{"requiredCapabilities", {{capability, Json::object()}}}}});
      return false;
    }
  }
  if (request.modern()) {
    Json result = {{"resultType", "input_required"}};
    for (const auto& ask : needed.asks) {
      result["inputRequests"][ask.key] = {{"method", ask.method}, {"params", ask.params}};
    }
    if (!needed.state.is_null() || needed.asks.empty()) {
      result["requestState"] =
          continuation_.sign(needed.state, purpose_of(request), std::chrono::system_clock::now());
    }
    request.answer(std::move(result));
    return false;
  }
  if (round >= max_rounds) {
    request.fail({jsonrpc::internal_error, "the call asked for input too many times"});
    return false;
  }
  Json responses = Json::object();
  for (const auto& ask : needed.asks) {
    auto answer = request.ask(ask.method, ask.params);
    if (!answer) {
      request.fail(answer.error());
      return false;
    }
    responses[ask.key] = *std::move(answer);
  }
  request.set_continuation(std::move(responses), needed.state);
  return true;
}

}  // namespace npuprof::mcp
