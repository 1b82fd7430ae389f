#include <cstdio>
#include <sstream>

#include "run/record_view.hpp"

namespace npuprof::run {
namespace {

constexpr std::size_t most_lines = 40;
constexpr std::size_t longest_line = 400;

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= longest_line) return text;
  std::size_t end = longest_line;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + " ...";
}

std::string word(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name) || object[name].is_null()) return "";
  return object[name].is_string() ? object[name].get<std::string>() : object[name].dump();
}

std::string milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", value);
  return text;
}

std::string steps(const Json& list) {
  std::string text;
  for (const auto& ms : list) {
    if (text.size() > 200) return text + ", ...";
    text += (text.empty() ? "" : ", ") + milliseconds(ms.get<double>());
  }
  return text;
}

class Text {
 public:
  void add(const std::string& line) {
    if (line.empty()) return;
    if (lines_ < most_lines) text_ += (text_.empty() ? "" : "\n") + one_line(line);
    ++lines_;
  }
  std::size_t room() const { return lines_ < most_lines ? most_lines - lines_ : 0; }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
  std::size_t lines_ = 0;
};

void add_head(Text& text, const Json& view) {
  if (view.value("simulated", false)) {
    text.add("SIMULATED: the host is a simulated one; no NPU was measured.");
  }
  if (view.value("backend", "") == "cpu") text.add("Dry run on the CPU: no NPU was used.");
  text.add("Run " + word(view, "run_id") + " on target " + word(view, "target") + ": " +
           word(view, "state") + ", stage " + word(view, "stage") +
           (view.value("reachable", true) ? "" : " (the host does not answer; last known state)"));
  if (view.contains("error")) {
    const auto& error = view["error"];
    text.add("Error " + word(error, "code") + ": " + word(error, "message"));
    if (!word(error, "remedy").empty()) {
      text.add("What to do (" + word(error, "who") + "): " + word(error, "remedy"));
    }
  }
  if (view.contains("progress") && view["progress"].contains("step")) {
    text.add("Step " + word(view["progress"], "step") + " of " + word(view["progress"], "of"));
  }
  for (const auto& device : view.value("devices", Json::array())) {
    text.add("Device " + word(device, "device_id") + " " + word(device, "name") + " " +
             word(device, "bus_id"));
    if (text.room() < 34) break;
  }
}

void add_measures(Text& text, const Json& view) {
  const auto window = view.value("window", Json::object());
  if (window.contains("warmup_ms")) text.add("Warm-up steps (ms): " + steps(window["warmup_ms"]));
  if (window.contains("step_ms")) text.add("Window steps (ms): " + steps(window["step_ms"]));
  if (view.contains("warmup")) text.add("Warm-up: " + word(view["warmup"], "verdict"));
  if (view.contains("verdict")) {
    std::string line = "Verdict: " + word(view["verdict"], "trust");
    for (const auto& reason : view["verdict"].value("reasons", Json::array())) {
      line += "; " + reason.get<std::string>();
    }
    text.add(line);
  }
  for (const auto& anomaly : view.value("anomalies", Json::array())) {
    if (text.room() < 20) break;
    text.add("Anomaly " + word(anomaly, "code") + " (" + word(anomaly, "severity") +
             "): " + word(anomaly, "message"));
  }
  for (const auto& check : view.value("checks", Json::array())) {
    const auto status = word(check, "status");
    if (text.room() < 14 || status == "pass" || status == "skip") break;
    text.add("Check " + word(check, "id") + " " + status + ": " + word(check, "message"));
  }
}

void add_artifact(Text& text, const Json& view) {
  const auto artifact = view.value("artifact", Json::object());
  if (artifact.value("state", "none") == "none") return;
  text.add("Artifact " + word(artifact, "state") +
           (artifact.contains("directory") ? " in " + word(artifact, "directory") : ""));
  if (artifact.contains("archive_path")) {
    text.add("Archive " + word(artifact, "archive_path") + ", " + word(artifact, "bytes") +
             " bytes, SHA-256 " + word(artifact, "sha256"));
  }
  std::size_t shown = 0;
  const auto files = artifact.value("files", Json::array());
  for (const auto& file : files) {
    if (text.room() < 4) break;
    text.add("  " + word(file, "path") + ": " + word(file, "bytes") + " bytes" +
             (file.contains("rows") ? ", " + word(file, "rows") + " rows" : ""));
    ++shown;
  }
  const auto hidden = files.size() - shown + artifact.value("files_left_out", std::size_t{0});
  if (hidden > 0) text.add("  and " + std::to_string(hidden) + " more, all in the manifest");
}

void add_log(Text& text, const Json& view) {
  if (view.value("ok", true) || !view.contains("log_tail")) return;
  std::istringstream log(view["log_tail"].get<std::string>());
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  const std::size_t most = std::min<std::size_t>(lines.size(), text.room() > 4 ? 8 : 0);
  if (most == 0) return;
  text.add("The workload's last words:");
  for (std::size_t i = lines.size() - most; i < lines.size(); ++i) text.add("  | " + lines[i]);
}

}  // namespace

std::string text_of(const Json& view) {
  Text text;
  add_head(text, view);
  add_measures(text, view);
  add_log(text, view);
  add_artifact(text, view);
  if (view.contains("next") && text.room() > 0) text.add("Next: " + word(view, "next"));
  return text.str();
}

}  // namespace npuprof::run
