#include "evidence/report.hpp"

#include <algorithm>

#include "evidence/html_text.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_rows = 500;

constexpr char style[] = R"(
:root{--ink:#1f2933;--paper:#fff;--soft:#f3f5f7;--faint:#d6dbe0;--muted:#5b6772;--good:#1c7a3d;--care:#9a6300;
--bad:#b3261e;--warmup:#d98324;--guard:#9aa5b1;--window:#2563a8;--busy:#2563a8;--free:#c9d3dd}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--paper:#14181c;--soft:#1e242a;--faint:#3a434c;--muted:#9aa7b3;
--good:#5fcf87;--care:#f0b64d;--bad:#ff8a80;--warmup:#e8a04f;--guard:#6b7885;--window:#6aa9ee;--busy:#6aa9ee;--free:#3a434c}}
*{box-sizing:border-box}body{margin:0 auto;padding:1rem;max-width:62rem;color:var(--ink);background:var(--paper);
font:16px/1.5 system-ui,sans-serif}h1{font-size:1.4rem;margin:.2rem 0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:1.8rem 0 .4rem;
border-bottom:1px solid var(--faint)}p,ul{margin:.4rem 0}ul{padding-left:1.2rem}.muted{color:var(--muted)}
.verdict{border-left:.5rem solid var(--muted);background:var(--soft);padding:.6rem 1rem;margin:.8rem 0}
.verdict strong{font-size:1.25rem}.trusted,.pass,.stripped{border-color:var(--good)}.usable_with_care,.warn{border-color:var(--care)}
.unusable,.fail,.not_stripped{border-color:var(--bad)}td.pass,td.info{color:var(--good)}td.warn,td.warning{color:var(--care)}
td.fail,td.error{color:var(--bad)}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--faint);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}code,pre{font:.85em ui-monospace,monospace;
overflow-wrap:anywhere}pre{white-space:pre-wrap;background:var(--soft);padding:.5rem;margin:.3rem 0}svg{width:100%;height:auto;max-width:62rem}
.bar{display:flex;height:.8rem;min-width:6rem;background:var(--free)}.bar i{background:var(--busy)}
details summary{cursor:pointer;color:var(--muted)}
@media print{:root{--ink:#000;--paper:#fff;--soft:#fff}body{max-width:none}details>*{display:block}h2{break-after:avoid}
tr,.verdict{break-inside:avoid}}
)";

const Json& at(const Json& object, const char* name) {
  static const Json none = nullptr;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string dumped(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(const Json& value) {
  if (value.is_string()) return escaped(value.get_ref<const std::string&>());
  if (value.is_null()) return "";
  if (value.is_number_float()) return format_text("%.6g", value.get<double>());
  return escaped(dumped(value));
}

std::string number_of(const Json& value, const char* format) {
  return value.is_number() ? format_text(format, value.get<double>()) : std::string("?");
}

struct Column {
  const char* title;
  bool number = false;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {
    html_ = "<div class=scroll><table><thead><tr>";
    for (const Column& column : columns_) {
      html_ += std::string("<th") + (column.number ? " class=n>" : ">") + column.title + "</th>";
    }
    html_ += "</tr></thead><tbody>";
  }

  // Cells are HTML already. `state` colours the first.
  void row(const std::vector<std::string>& cells, const std::string& state = {}) {
    html_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool number = i < columns_.size() && columns_[i].number;
      const std::string name = i == 0 && !state.empty() ? escaped(state) : number ? "n" : "";
      html_ += name.empty() ? "<td>" : "<td class=\"" + name + "\">";
      html_ += cells[i] + "</td>";
    }
    html_ += "</tr>";
  }

  std::string end() { return html_ + "</tbody></table></div>"; }

 private:
  std::vector<Column> columns_;
  std::string html_;
};

std::string section(const char* title, const std::string& body) {
  return body.empty() ? "" : std::string("<h2>") + title + "</h2>" + body;
}

std::string figures(const Json& value) {
  if (value.is_null() || value.empty()) return "";
  return "<details><summary>figures</summary><pre>" + escaped(dumped(value, 1)) +
         "</pre></details>";
}

std::string verdict_part(const Json& document) {
  const Json& verdict = at(document, "verdict");
  const Json& warmup = at(document, "warmup");
  std::string trust = text_of(at(verdict, "trust"));
  if (trust.empty()) trust = "unknown";
  std::string words = trust;
  std::replace(words.begin(), words.end(), '_', ' ');
  std::string out = "<div class=\"verdict " + trust + "\"><strong>" + words + "</strong><ul>";
  for (const Json& reason : at(verdict, "reasons")) out += "<li>" + text_of(reason) + "</li>";
  out += "</ul></div>";
  if (!at(warmup, "verdict").is_null()) {
    std::string state = text_of(at(warmup, "verdict"));
    std::string shown = state;
    std::replace(shown.begin(), shown.end(), '_', ' ');
    out += "<div class=\"verdict " + state + "\">warm-up: <strong>" + shown + "</strong><ul>";
    for (const Json& evidence : at(warmup, "evidence")) {
      if (!evidence.is_object()) continue;
      out += "<li>" + text_of(at(evidence, "message")) + " <span class=muted>(" +
             text_of(at(evidence, "says")) + ", weight " + text_of(at(evidence, "weight")) +
             ")</span>" + figures(at(evidence, "figures")) + "</li>";
    }
    out += "</ul></div>";
  }
  return out;
}

std::string anomaly_part(const Json& document) {
  const Json& anomalies = at(document, "anomalies");
  if (!anomalies.is_array()) return "";
  if (anomalies.empty()) return "<p>None.</p>";
  Table table({{"severity"}, {"code"}, {"what"}, {"what to do"}});
  for (const Json& anomaly : anomalies) {
    table.row(
        {text_of(at(anomaly, "severity")), "<code>" + text_of(at(anomaly, "code")) + "</code>",
         text_of(at(anomaly, "message")) + figures(at(anomaly, "evidence")),
         text_of(at(anomaly, "remedy"))},
        text_of(at(anomaly, "severity")));
  }
  return table.end();
}

std::string check_part(const Json& document) {
  const Json& checks = at(document, "checks");
  if (!checks.is_array() || checks.empty()) return "";
  Table table({{"status"}, {"check"}, {"answer"}});
  for (const Json& check : checks) {
    table.row({text_of(at(check, "status")), "<code>" + text_of(at(check, "id")) + "</code>",
               text_of(at(check, "message")) + figures(at(check, "evidence"))},
              text_of(at(check, "status")));
  }
  return table.end();
}

std::string step_part(const Json& document, const Json& details) {
  std::string out = step_chart_svg(chart_steps(document, details), false);
  const Json& step_ms = at(at(document, "summary"), "step_ms");
  if (step_ms.is_object()) {
    out += "<p>median " + number_of(at(step_ms, "median"), "%.3f ms") + ", p90 " +
           number_of(at(step_ms, "p90"), "%.3f ms") + " of " + text_of(at(step_ms, "steps")) +
           " step(s) of the window <span class=muted>(" + text_of(at(step_ms, "source")) +
           ")</span></p>";
  }
  return out;
}

std::string busy_bar(double busy, double free) {
  const double share = busy + free > 0 ? 100 * busy / (busy + free) : 0;
  return format_text(R"(<div class=bar title="%.1f %% busy"><i style="width:%.1f%%"></i></div>)",
                     share, share);
}

std::string device_part(const Json& document, const Json& details) {
  std::string out;
  const Json& device = at(at(document, "summary"), "device");
  if (device.is_object()) {
    out += "<p>busy " + number_of(at(device, "busy_us"), "%.1f us") + ", free " +
           number_of(at(device, "free_us"), "%.1f us") + "</p>";
  }
  const Json& steps = at(details, "steps");
  if (!steps.is_array() || steps.empty() || !steps[0].contains("busy_us")) return out;
  Table table(
      {{"step"}, {"busy us", true}, {"free us", true}, {"communication us", true}, {"busy"}});
  for (const Json& step : steps) {
    if (!at(step, "busy_us").is_number() || !at(step, "free_us").is_number()) continue;
    table.row({text_of(at(step, "id")), number_of(at(step, "busy_us"), "%.1f"),
               number_of(at(step, "free_us"), "%.1f"),
               number_of(at(step, "communication_us"), "%.1f"),
               busy_bar(at(step, "busy_us").get<double>(), at(step, "free_us").get<double>())});
  }
  return out + table.end();
}

std::string operator_table(const Json& operators) {
  if (!operators.is_array() || operators.empty()) return "";
  Table table({{"operator"},
               {"count", true},
               {"total us", true},
               {"mean us", true},
               {"max us", true},
               {"wait us", true},
               {"share", true}});
  for (const Json& one : operators) {
    const Json& share = at(one, "share");
    table.row({"<code>" + text_of(at(one, "name")) + "</code>", text_of(at(one, "count")),
               number_of(at(one, "total_us"), "%.1f"), number_of(at(one, "mean_us"), "%.2f"),
               number_of(at(one, "max_us"), "%.2f"), number_of(at(one, "wait_us"), "%.1f"),
               share.is_number() ? format_text("%.1f %%", share.get<double>() * 100) : ""});
  }
  return table.end();
}

std::string share_part(const Json& document) {
  const Json& summary = at(document, "summary");
  std::string out;
  for (const auto& [name, words] : {std::pair{"communication_share", "communication"},
                                    std::pair{"ai_cpu_share", "AI CPU operators"}}) {
    const Json& share = at(summary, name);
    if (!share.is_number()) continue;
    out += "<p>" + std::string(words) +
           format_text(": %.2f %% of kernel time</p>", share.get<double>() * 100);
  }
  return out;
}

std::string facts(const Json& object) {
  if (!object.is_object() || object.empty()) return "";
  Table table({{"what"}, {"value"}});
  for (const auto& [name, value] : object.items()) {
    table.row({escaped(name),
               value.is_structured() ? "<code>" + text_of(value) + "</code>" : text_of(value)});
  }
  return table.end();
}

std::string provenance_part(const Json& document) {
  Json shown = Json::object();
  for (const char* name : {"run_id", "path", "target", "state", "created_at", "devices", "workload",
                           "window", "timings_ms"}) {
    const Json& value = at(document, name);
    if (!value.is_null() && !(value.is_structured() && value.empty())) shown[name] = value;
  }
  return facts(shown);
}

std::string file_part(const Json& document) {
  const Json* files = &at(document, "files");
  if (!files->is_array()) files = &at(at(document, "artifact"), "files");
  if (!files->is_array() || files->empty()) return "";
  Table table({{"file"}, {"bytes", true}, {"rows", true}, {"SHA-256"}});
  std::size_t shown = 0;
  for (const Json& file : *files) {
    if (++shown > max_rows) break;
    table.row({"<code>" + text_of(at(file, "path")) + "</code>", text_of(at(file, "bytes")),
               text_of(at(file, "rows")), "<code>" + text_of(at(file, "sha256")) + "</code>"});
  }
  std::string out = table.end();
  if (files->size() > max_rows) {
    out += "<p>and " + std::to_string(files->size() - max_rows) + " more</p>";
  }
  return out;
}

}  // namespace

std::vector<ChartStep> chart_steps(const Json& document, const Json& details) {
  std::vector<ChartStep> steps;
  const Json& window = at(document, "window");
  const auto add = [&](const Json& times, StepPhase phase, const char* mark) {
    if (!times.is_array()) return;
    int number = 0;
    for (const Json& time : times) {
      ++number;
      if (time.is_number())
        steps.push_back({mark + std::to_string(number), time.get<double>(), phase});
    }
  };
  if (at(window, "step_ms").is_array() && !at(window, "step_ms").empty()) {
    add(at(window, "warmup_ms"), StepPhase::warmup, "w");
    add(at(window, "guard_ms"), StepPhase::guard, "g");
    add(at(window, "step_ms"), StepPhase::window, "");
    return steps;
  }
  const Json& found = at(details, "steps");
  if (!found.is_array()) return steps;
  for (const Json& step : found) {
    if (!at(step, "ms").is_number()) continue;
    steps.push_back({dumped(at(step, "id")), at(step, "ms").get<double>(),
                     at(step, "guard") == true ? StepPhase::guard : StepPhase::window});
  }
  return steps;
}

std::string render_report(const Json& document, const Json& details) {
  std::string name = text_of(at(document, "run_id"));
  if (name.empty()) name = text_of(at(document, "path"));
  if (name.empty()) name = "profile";
  const bool simulated = at(document, "simulated") == true;
  const Json& summary = at(document, "summary");
  return "<!DOCTYPE html><html lang=en><head><meta charset=utf-8>"
         "<meta name=viewport content=\"width=device-width,initial-scale=1\"><title>" +
         name + " - npuprof</title><style>" + style + "</style></head><body><h1>" + name + "</h1>" +
         (simulated ? "<p><strong>Simulated device:</strong> the figures are no NPU's.</p>" : "") +
         verdict_part(document) + section("Anomalies", anomaly_part(document)) +
         section("Step times", step_part(document, details)) +
         section("Device busy and free", device_part(document, details)) +
         section("Operators by time", operator_table(at(summary, "top_operators"))) +
         section("Operators by wait", operator_table(at(details, "top_by_wait"))) +
         section("AI CPU operators", operator_table(at(details, "ai_cpu_operators"))) +
         section("Shares", share_part(document)) + section("Checks", check_part(document)) +
         section("Versions", facts(at(document, "versions"))) +
         section("Provenance", provenance_part(document)) + section("Files", file_part(document)) +
         "</body></html>\n";
}

}  // namespace npuprof::evidence
