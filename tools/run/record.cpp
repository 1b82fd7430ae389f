#include "run/record.hpp"

#include "core/error_codes.hpp"
#include "core/schema.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::run {
namespace {

constexpr int format = 1;

// Calls visit(name, member) for every member whose form on disk is the member itself.
template <typename R, typename Visit>
void for_each_field(R& record, const Visit& visit) {
  visit("run_id", record.run_id);
  visit("target", record.target);
  visit("created_at", record.created_at);
  visit("updated_at", record.updated_at);
  visit("deadline_at", record.deadline_at);
  visit("run_key", record.run_key);
  visit("asked", record.asked);
  visit("arguments", record.arguments);
  visit("pinned", record.pinned);
  visit("workspace", record.workspace);
  visit("remote_dir", record.remote_dir);
  visit("foreign", record.foreign);
  visit("stage", record.stage);
  visit("reachable", record.reachable);
  visit("simulated", record.simulated);
  visit("started", record.started);
  visit("progress", record.progress);
  visit("devices", record.devices);
  visit("workload", record.workload);
  visit("window", record.window);
  visit("warmup", record.warmup);
  visit("verdict", record.verdict);
  visit("summary", record.summary);
  visit("artifact", record.artifact);
  visit("output", record.output);
  visit("checks", record.checks);
  visit("anomalies", record.anomalies);
  visit("versions", record.versions);
  visit("timings_ms", record.timings_ms);
  visit("evidence", record.evidence);
  visit("log_tail", record.log_tail);
  visit("error", record.error);
  visit("launch", record.launch);
  visit("observed", record.observed);
}

const Schema& schema() {
  static const Schema compiled = Schema::of(schemas::load("run"));
  return compiled;
}

}  // namespace

std::string Record::artifact_state() const {
  return artifact.value("state", "none");
}
std::string Record::backend() const {
  return arguments.value("backend", "npu");
}
bool Record::wants_fetch() const {
  return arguments.value("fetch", true);
}

bool Record::has_output() const {
  return state == RunState::captured || evidence.contains("flushed");
}

bool Record::is_done() const {
  if (!is_final(state)) return false;
  const bool expects_artifact = has_output() && state != RunState::cancelled && wants_fetch();
  return !expects_artifact || artifact_state() == "verified" || !error.is_null();
}

Json to_document(const Record& record) {
  Json document = {
      {"format", format}, {"state", to_string(record.state)}, {"backend", record.backend()}};
  for_each_field(record, [&](const char* name, const auto& member) {
    Json value = member;
    if (!value.is_null()) document[name] = std::move(value);
  });
  return document;
}

Result<Record> record_from(const Json& document) {
  const auto broken = [](const std::string& why) {
    return fail({.code = codes::io_error,
                 .message = "the run's record is broken: " + why,
                 .remedy = "Somebody may have edited run.json; the run's directory still holds "
                           "what was fetched."});
  };
  if (!document.is_object()) return broken("not an object");
  if (const auto found = document.find("format");
      found != document.end() && found->is_number_integer() && *found > format) {
    return fail({.code = codes::format_unknown,
                 .message = "the run was recorded by a newer npuprof (format " + found->dump() +
                            "); this one knows format " + std::to_string(format),
                 .remedy = "Use the newer npuprof for this run."});
  }
  if (const auto bad = schema().violations(document); !bad.empty()) {
    return broken(bad.front().path + ": " + bad.front().message);
  }
  Record record;
  record.state = *run_state_from(document["state"].get<std::string>());
  for_each_field(record, [&](const char* name, auto& member) {
    if (const auto found = document.find(name); found != document.end()) found->get_to(member);
  });
  return record;
}

}  // namespace npuprof::run
