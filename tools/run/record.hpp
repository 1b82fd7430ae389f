#pragma once

#include <string>

#include "core/error.hpp"
#include "run/run_state.hpp"

namespace npuprof::run {

// What npuprof knows of a run; run.json (schemas/run.schema.json) is its form on disk. The Json
// members have the shapes of schemas/run_record.schema.json.
struct Record {
  std::string run_id;
  std::string target;
  std::string created_at;
  std::string updated_at;
  std::string deadline_at;  // when it must have ended on the host; empty: not started
  std::string run_key;
  Json asked = Json::object();      // the arguments of the call, every default filled in
  Json arguments = Json::object();  // what is done: `asked`, with what the host made necessary
  bool pinned = false;

  std::string workspace;   // on the host, resolved
  std::string remote_dir;  // on the host: the run's directory, or the fetched one
  bool foreign = false;    // remote_dir is not a run's own

  RunState state = RunState::queued;
  std::string stage = "queued";
  bool reachable = true;
  bool simulated = false;
  bool started = false;  // something may have been started on the host

  Json progress = Json::object();
  Json devices = Json::array();
  Json workload = Json::object();
  Json window = Json::object();
  Json warmup = Json::object();
  Json verdict = Json::object();
  Json summary = Json::object();
  Json artifact = {{"state", "none"}};
  Json output = Json::array();
  Json checks = Json::array();
  Json anomalies = Json::array();
  Json versions = Json::object();
  Json timings_ms = Json::object();
  Json evidence = Json::object();
  std::string log_tail;
  Json error = nullptr;            // an Error, or null
  Json launch = Json::object();    // {"job", "set_env"}: what is started, known before it is
  Json observed = Json::object();  // {"first_step_id", "began_s", "notes"}, for the judgement

  std::string artifact_state() const;
  std::string backend() const;
  bool wants_fetch() const;

  // The profiler's data was written: there is something to bring home.
  bool has_output() const;

  // Nothing is left to be done for it but what a caller asks for.
  bool is_done() const;
};

Json to_document(const Record& record);

// FORMAT_UNKNOWN for a document of a newer npuprof, IO_ERROR for one that is broken.
Result<Record> record_from(const Json& document);

}  // namespace npuprof::run
