#include "run/expectations.hpp"

namespace npuprof::run {
namespace {

std::vector<double> times(const Record& record, const char* name) {
  return record.window.contains(name) ? record.window[name].get<std::vector<double>>()
                                      : std::vector<double>();
}

// A script, or a service through its own routes, has a schedule of its own, and its steps may be
// unnumbered.
bool profiles_itself(const Json& arguments, const std::string& way) {
  return way == "script" ||
         (way == "service" && arguments["service"].value("profile", "endpoint") == "endpoint");
}

}  // namespace

evidence::Expectations expectations_of(const Record& record) {
  evidence::Expectations expected;
  expected.simulated = record.simulated;
  if (record.foreign) return expected;
  const auto& arguments = record.arguments;
  expected.level = arguments["level"].get<std::string>();
  expected.activities = arguments["activities"].get<std::vector<std::string>>();
  expected.ranks = arguments["ranks"].get<std::vector<int>>();
  expected.way = record.workload.value("way", "");
  expected.warmup_steps = arguments["warmup_steps"].get<int>();
  if (!profiles_itself(arguments, *expected.way)) {
    expected.guard_steps = arguments["guard_steps"].get<int>();
    expected.active_steps = arguments["active_steps"].get<int>();
  }
  if (record.observed.contains("first_step_id")) {
    expected.first_step_id = record.observed["first_step_id"].get<std::int64_t>();
  }
  if (record.observed.contains("began_s")) {
    const auto seconds = std::chrono::duration<double>(record.observed["began_s"].get<double>());
    expected.run_began = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(seconds));
  }
  expected.warmup_ms = times(record, "warmup_ms");
  expected.guard_ms = times(record, "guard_ms");
  expected.step_ms = times(record, "step_ms");
  return expected;
}

Json anomalies_of_run(const Record& record) {
  Json anomalies = Json::array();
  for (const auto& note : record.observed.value("notes", Json::array())) {
    const auto code = note.value("code", "");
    if (code != "EXIT_NOT_ZERO" && code != "WARMUP_INSUFFICIENT" && code != "PROCESSES_LEFT" &&
        code != "HOOK_OVERLAP" && code != "TOO_FEW_STEPS") {
      continue;
    }
    anomalies.push_back(Anomaly{.code = code,
                                .severity = Severity::warning,
                                .message = note.value("message", ""),
                                .evidence = note.value("data", Json::object())});
  }
  return anomalies;
}

void limit_trust(Record& record) {
  if (record.verdict.value("trust", "") == "trusted" ||
      record.verdict.value("trust", "") == "usable_with_care") {
    record.verdict["trust"] = "unusable";
  }
  record.verdict["reasons"].push_back("the run ended as " + std::string(to_string(record.state)) +
                                      ": what it captured is not whole");
}

}  // namespace npuprof::run
