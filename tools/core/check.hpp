#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace npuprof {

// `unknown` is never reported as `pass`.
enum class CheckStatus { pass, warn, fail, skip, unknown };

std::string_view to_string(CheckStatus status);

// One question with an answer.
struct Check {
  std::string id;  // stable, lower_case: "npu_smi", "trace_whole"
  CheckStatus status = CheckStatus::unknown;
  std::string message;
  Json evidence = nullptr;  // what the answer was read from, or null
  std::string remedy = {};  // what to do where the status is not pass
  Who who = Who::user;
};

enum class Severity { info, warning, error };

std::string_view to_string(Severity severity);

// Something wrong with the data of a run. docs/anomalies.md says of each code what it means and how
// it is measured.
struct Anomaly {
  std::string code;  // stable, UPPER_CASE: "WARMUP_NOT_STRIPPED"
  Severity severity = Severity::warning;
  std::string message;
  Json evidence = Json::object();  // the figures it was read from
  std::string remedy = {};
};

void to_json(Json& out, const Check& check);
void to_json(Json& out, const Anomaly& anomaly);

}  // namespace npuprof
