#include "run/record_view.hpp"

namespace npuprof::run {
namespace {

constexpr std::size_t largest_view = 20'000;  // bytes of JSON: some 6,000 tokens
constexpr std::size_t most_runs = 20;

// Keeps the first `most` items of view[name], and the count of the others in view[count_name].
void cut_list(Json& view, const char* name, const std::string& count_name, std::size_t most) {
  if (!view.contains(name) || view[name].size() <= most) return;
  auto& list = view[name];
  const auto left_out = view.value(count_name, std::size_t{0}) + list.size() - most;
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
  view[count_name] = left_out;
}

int urgency(const Json& check) {
  const auto status = check.value("status", "");
  if (status == "fail") return 0;
  if (status == "warn") return 1;
  if (status == "unknown") return 2;
  return status == "skip" ? 3 : 4;
}

void cut_text(Json& value, std::size_t most) {
  if (value.is_string() && value.get_ref<const std::string&>().size() > most) {
    // Cut at the end of a whole UTF-8 character.
    std::string text = value.get<std::string>();
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    text.resize(most);
    value = text + " ...";
  }
  if (value.is_structured()) {
    for (auto& item : value) cut_text(item, most);
  }
}

void cut_steps(Json& window, std::size_t most) {
  for (const char* name : {"warmup_ms", "guard_ms", "step_ms", "after_ms"}) {
    cut_list(window, name, "left_out", most);
  }
}

std::size_t size_of(const Json& view) {
  return view.dump(-1, ' ', false, Json::error_handler_t::replace).size();
}

// Each step takes away what a reader misses least, until the whole is small enough.
void cut_to_size(Json& view) {
  if (view.contains("log_tail") && view["log_tail"].get_ref<const std::string&>().size() > 2000) {
    auto& log = view["log_tail"].get_ref<std::string&>();
    std::size_t start = log.size() - 2000;
    while (start < log.size() && (static_cast<unsigned char>(log[start]) & 0xC0U) == 0x80U) ++start;
    log.erase(0, start);
  }
  for (const std::size_t most : {20U, 8U, 3U}) {
    if (size_of(view) <= largest_view) return;
    if (view.contains("checks")) {
      for (auto& check : view["checks"]) {
        if (urgency(check) >= 3) check.erase("evidence");
      }
      std::erase_if(view["checks"].get_ref<Json::array_t&>(), [&](const Json& check) {
        if (urgency(check) < 3) return false;
        view["checks_left_out"] = view.value("checks_left_out", 0) + 1;
        return true;
      });
      cut_list(view, "checks", "checks_left_out", most);
    }
    cut_list(view, "anomalies", "anomalies_left_out", most);
    if (view.contains("artifact")) cut_list(view["artifact"], "files", "files_left_out", most);
    if (view.contains("window")) cut_steps(view["window"], most);
    for (const char* name : {"checks", "anomalies", "warmup", "evidence", "devices", "verdict",
                             "error", "workload", "output", "summary", "versions"}) {
      if (view.contains(name)) cut_text(view[name], most * 30);
    }
    if (view.contains("log_tail")) cut_text(view["log_tail"], most * 40);
  }
  for (const char* name : {"evidence", "output", "summary", "versions"}) {
    if (size_of(view) > largest_view) view.erase(name);
  }
}

std::string next_step(const Record& record) {
  const auto fetch = "fetch_artifact with run_id " + record.run_id;
  if (!is_final(record.state)) {
    return "The run goes on. Call " + fetch + " to wait for it, cancel_run to end it.";
  }
  const auto state = record.artifact_state();
  if (state == "verified" && record.artifact.contains("directory")) {
    const auto directory = record.artifact["directory"].get<std::string>();
    if (record.verdict.value("trust", "") == "unusable") {
      return "Don't analyse it: see anomalies for what to mend, then call collect_profile again.";
    }
    return "msprof-analyze all -d " + directory;
  }
  if (record.state == RunState::captured) {
    return "Call " + fetch + " to bring the artifact home" +
           (state == "partial" ? "; what has arrived is kept." : ".");
  }
  if (record.has_output() && record.state != RunState::cancelled) {
    return "Call " + fetch + " to bring home what was captured.";
  }
  if (record.error.is_object()) return record.error.value("remedy", "");
  return "";
}

bool is_ok(const Record& record) {
  if (!record.error.is_null()) return false;
  return !is_final(record.state) || record.state == RunState::captured;
}

void set_where_any(Json& view, const char* name, const Json& value) {
  if (!value.is_null() && !value.empty()) view[name] = value;
}

}  // namespace

std::string resource_uri(const std::string& run_id, const std::string& file) {
  return "npuprof://runs/" + run_id + "/" + file;
}

Json view_of(const Record& record) {
  Json view = {{"ok", is_ok(record)},
               {"run_id", record.run_id},
               {"state", to_string(record.state)},
               {"stage", record.stage},
               {"reachable", record.reachable},
               {"simulated", record.simulated},
               {"backend", record.backend()},
               {"created_at", record.created_at},
               {"target", record.target}};
  set_where_any(view, "progress", record.progress);
  set_where_any(view, "devices", record.devices);
  set_where_any(view, "workload", record.workload);
  set_where_any(view, "window", record.window);
  set_where_any(view, "warmup", record.warmup);
  set_where_any(view, "verdict", record.verdict);
  set_where_any(view, "summary", record.summary);
  set_where_any(view, "artifact", record.artifact);
  set_where_any(view, "output", record.output);
  set_where_any(view, "checks", record.checks);
  // None is an answer once the data was judged, and no answer before.
  if (!record.verdict.empty()) view["anomalies"] = record.anomalies;
  set_where_any(view, "versions", record.versions);
  set_where_any(view, "timings_ms", record.timings_ms);
  set_where_any(view, "evidence", record.evidence);
  set_where_any(view, "error", record.error);
  for (const auto& [name, text] : {std::pair{"run_key", record.run_key},
                                   {"remote_dir", record.remote_dir},
                                   {"log_tail", record.log_tail},
                                   {"next", next_step(record)}}) {
    if (!text.empty()) view[name] = text;
  }
  if (view.contains("checks")) {
    auto& checks = view["checks"].get_ref<Json::array_t&>();
    std::stable_sort(checks.begin(), checks.end(),
                     [](const Json& a, const Json& b) { return urgency(a) < urgency(b); });
  }
  if (view.contains("window")) cut_steps(view["window"], 100);
  cut_to_size(view);
  return view;
}

ToolResult result_of(const Record& record) {
  ToolResult result;
  result.structured = view_of(record);
  result.text = text_of(result.structured);
  result.is_error = !result.structured["ok"].get<bool>();
  if (record.artifact.contains("manifest_path")) {
    result.links.push_back({.uri = resource_uri(record.run_id, "manifest.json"),
                            .name = "manifest.json",
                            .mime_type = "application/json",
                            .description = "every file of the artifact, with size, SHA-256, rows"});
  }
  if (record.artifact_state() == "verified" && record.artifact.contains("directory")) {
    for (const auto& file : record.artifact.value("files", Json::array())) {
      const auto name = file.value("name", "");
      if (name != "kernel_details.csv" && name != "op_statistic.csv" &&
          name != "step_trace_time.csv") {
        continue;
      }
      result.links.push_back(
          {.uri = resource_uri(record.run_id, "profile_l1/" + file.value("path", "")),
           .name = name,
           .mime_type = "text/csv"});
    }
  }
  return result;
}

ToolResult list_of(const std::vector<Record>& records) {
  Json runs = Json::array();
  std::string text = records.empty() ? "There are no runs yet." : "The latest runs:";
  for (const auto& record : records) {
    if (runs.size() == most_runs) break;
    const auto trust = record.verdict.value("trust", "");
    Json entry = {{"run_id", record.run_id},
                  {"target", record.target},
                  {"state", to_string(record.state)},
                  {"stage", record.stage},
                  {"artifact", record.artifact_state()},
                  {"created_at", record.created_at},
                  {"simulated", record.simulated}};
    if (!trust.empty()) entry["trust"] = trust;
    if (record.artifact.contains("directory")) entry["directory"] = record.artifact["directory"];
    runs.push_back(entry);
    text += "\n" + record.run_id + ": " + std::string(to_string(record.state)) +
            (is_final(record.state) ? "" : " (" + record.stage + ")") + ", artifact " +
            record.artifact_state() + (trust.empty() ? "" : ", " + trust) +
            (record.simulated ? ", SIMULATED" : "");
  }
  Json view = {{"ok", true}, {"runs", std::move(runs)}};
  if (records.size() > most_runs) {
    view["runs_left_out"] = records.size() - most_runs;
    text += "\nand " + std::to_string(records.size() - most_runs) + " older ones";
  }
  if (!records.empty()) {
    view["next"] = "Call fetch_artifact with a run_id for its record.";
    text += "\nNext: call fetch_artifact with a run_id for its record.";
  }
  return {.structured = std::move(view), .text = std::move(text)};
}

}  // namespace npuprof::run
