#include "mcp/request.hpp"

#include "jsonrpc/write.hpp"

namespace npuprof::mcp {
namespace {

constexpr std::chrono::minutes ask_limit{10};

const Json empty_object = Json::object();

int status_of(int code) {
  switch (code) {
    case jsonrpc::method_not_found:
      return 404;
    case jsonrpc::parse_error:
    case jsonrpc::invalid_request:
    case header_mismatch:
    case missing_client_capability:
    case unsupported_revision:
      return 400;
    default:
      return 200;
  }
}

}  // namespace

Request::Request(std::shared_ptr<const Stamp> stamp, std::shared_ptr<Session> session,
                 std::shared_ptr<Reply> reply, jsonrpc::Message&& message)
    : stamp_(std::move(stamp)),
      session_(std::move(session)),
      reply_(std::move(reply)),
      id_(std::move(message.id)),
      method_(std::move(message.method)),
      params_(message.params.is_null() ? Json::object() : std::move(message.params)) {}

Request::~Request() {
  if (!answered()) fail({jsonrpc::internal_error, "the request was dropped"});
}

const Json& Request::meta() const {
  const auto found = params_.find("_meta");
  return found != params_.end() && found->is_object() ? *found : empty_object;
}

bool Request::client_can(std::string_view path) const {
  const Json* at = &capabilities_;
  while (true) {
    const auto slash = path.find('/');
    if (!at->is_object()) return false;
    const auto found = at->find(std::string(path.substr(0, slash)));
    if (found == at->end()) return false;
    if (slash == std::string_view::npos) return !found->is_null();
    at = &*found;
    path.remove_prefix(slash + 1);
  }
}

void Request::settle(Revision revision, Json capabilities) {
  revision_ = revision;
  capabilities_ = std::move(capabilities);
}

void Request::set_continuation(Json responses, Json state) {
  input_responses_ = std::move(responses);
  state_ = std::move(state);
}

std::shared_ptr<Request> Request::detached(std::shared_ptr<Reply> reply) const {
  jsonrpc::Message message;
  message.kind = jsonrpc::Message::Kind::request;
  message.id = id_;
  message.method = method_;
  message.params = params_;
  auto work = std::make_shared<Request>(stamp_, session_, std::move(reply), std::move(message));
  work->settle(revision_, capabilities_);
  work->set_continuation(input_responses_, state_);
  work->as_task_ = true;
  return work;
}

bool Request::open() {
  open_ = session_->open_call(id_, control_);
  return open_;
}

void Request::progress(double done, std::optional<double> total, const std::string& message) {
  const auto& about = meta();
  const auto token = about.find("progressToken");
  if (token == about.end() || !(token->is_string() || token->is_number_integer())) return;
  const std::lock_guard lock(mutex_);
  if (answered_ || control_->unwanted || !(done > last_progress_)) return;
  last_progress_ = done;
  Json params = {{"progressToken", *token}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!message.empty()) params["message"] = message;
  reply_->event(jsonrpc::notification_text("notifications/progress", params));
}

void Request::event(std::string_view method, const Json& params) {
  const std::lock_guard lock(mutex_);
  if (answered_ || control_->unwanted) return;
  reply_->event(jsonrpc::notification_text(method, params));
}

void Request::log(std::string_view level, std::string_view logger, const Json& data) {
  const int severity = log_severity(level);
  if (severity < 0) return;
  if (modern()) {
    const auto& about = meta();
    const auto wanted = about.find(meta::log_level);
    if (wanted == about.end() || !wanted->is_string()) return;
    if (severity > log_severity(wanted->get_ref<const std::string&>())) return;
  } else if (bare_ || severity > session_->log_level()) {
    return;
  }
  Json params = {{"level", level}, {"data", data}};
  if (!logger.empty()) params["logger"] = logger;
  event("notifications/message", params);
}

tl::expected<Json, jsonrpc::RpcError> Request::ask(std::string_view method, const Json& params) {
  if (modern() || bare_) {
    return tl::unexpected<jsonrpc::RpcError>(
        {jsonrpc::internal_error, "the client can't be asked while it waits"});
  }
  return session_->ask(method, params, *reply_, stop(), ask_limit);
}

void Request::answer(Json result) {
  if (modern()) {
    result.emplace("resultType", "complete");
    result["_meta"][meta::server_info] = stamp_->server_info;
  }
  answer_text(jsonrpc::result_text(id_, result));
}

void Request::answer(Json result, Caching caching) {
  if (modern()) {
    result["ttlMs"] = caching.ttl_ms;
    result["cacheScope"] = caching.is_public ? "public" : "private";
  }
  answer(std::move(result));
}

void Request::answer_text(std::string text) {
  finish({std::move(text), 200});
}

void Request::fail(const jsonrpc::RpcError& error) {
  fail(error, modern() ? status_of(error.code) : 200);
}

void Request::fail(const jsonrpc::RpcError& error, int http_status) {
  finish({jsonrpc::error_text(id_, error), http_status});
}

bool Request::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

void Request::finish(Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    answered_ = true;
  }
  if (open_) session_->close_call(id_);
  if (control_->unwanted) {
    reply_->abandon();
  } else {
    reply_->finish(std::move(answer));
  }
}

}  // namespace npuprof::mcp
