#include "cli/record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace npuprof::cli {
namespace {

const Json& at(const Json& object, const char* name) {
  static const Json nothing = nullptr;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

std::string text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : value.dump();
}

void line(std::string& out, std::string_view label, std::string_view words) {
  if (!words.empty()) out += fmt::format("{:<10} {}\n", label, words);
}

std::string milliseconds(const Json& times) {
  std::string out;
  if (!times.is_array()) return out;
  for (const Json& time : times) {
    if (time.is_number())
      out += fmt::format("{}{:.2f}", out.empty() ? "" : " ", time.get<double>());
  }
  return out.empty() ? out : out + " ms";
}

std::string devices(const Json& record) {
  std::string out;
  const Json& list = at(record, "devices");
  if (!list.is_array()) return out;
  for (const Json& device : list) {
    if (!out.empty()) out += "; ";
    out += "device " + text(at(device, "device_id"));
    for (const char* field : {"name", "bus_id", "health"}) {
      if (const std::string words = text(at(device, field)); !words.empty()) out += ", " + words;
    }
  }
  return out;
}

std::string workload(const Json& record) {
  const Json& what = at(record, "workload");
  std::string out = text(at(what, "entry"));
  if (out.empty()) out = text(at(what, "script"));
  if (const std::string way = text(at(what, "way")); !way.empty()) out += " (" + way + ")";
  return out;
}

std::string verdict(const Json& record) {
  const Json& judged = at(record, "verdict");
  std::string out = text(at(judged, "trust"));
  const Json& reasons = at(judged, "reasons");
  if (!reasons.is_array()) return out;
  const char* separator = ": ";
  for (const Json& reason : reasons) {
    out += separator + text(reason);
    separator = "; ";
  }
  return out;
}

// What the verdict on warm-up was read from, in words where the evidence has words.
std::string warmup(const Json& record) {
  const Json& judged = at(record, "warmup");
  std::string out = text(at(judged, "verdict"));
  const Json& evidence = at(judged, "evidence");
  if (evidence.is_string()) return out + ": " + evidence.get<std::string>();
  if (!evidence.is_array()) return out;
  const char* separator = ": ";
  for (const Json& piece : evidence) {
    const std::string message = text(at(piece, "message"));
    if (message.empty()) continue;
    out += separator + message;
    separator = "; ";
  }
  return out;
}

void anomalies(std::string& out, const Json& record) {
  const Json& list = at(record, "anomalies");
  if (!list.is_array() || list.empty()) {
    if (at(record, "verdict").is_object()) line(out, "anomalies", "none");
    return;
  }
  for (const Json& anomaly : list) {
    line(out, "anomaly",
         fmt::format("{} ({}): {}", text(at(anomaly, "code")), text(at(anomaly, "severity")),
                     text(at(anomaly, "message"))));
  }
}

void artifact(std::string& out, const Json& record) {
  const Json& home = at(record, "artifact");
  if (!home.is_object()) return;
  std::string archive = text(at(home, "archive_path"));
  if (at(home, "bytes").is_number_integer()) {
    archive += "  " + readable_bytes(at(home, "bytes").get<std::uint64_t>());
  }
  line(out, "artifact", text(at(home, "state")) + "  " + archive);
  line(out, "sha256", text(at(home, "sha256")));
  line(out, "directory", text(at(home, "directory")));
  out += file_table(at(home, "files"));
}

}  // namespace

std::string file_table(const Json& files) {
  if (!files.is_array() || files.empty()) return "";
  struct Row {
    std::string name, rows, bytes, sha256;
  };
  std::vector<Row> table;
  for (const Json& file : files) {
    std::string name = text(at(file, "path"));
    if (name.empty()) name = text(at(file, "name"));
    table.push_back({std::move(name), text(at(file, "rows")), text(at(file, "bytes")),
                     text(at(file, "sha256"))});
  }
  // A folder that holds all of them is named once, above.
  const std::string folder = table.front().name.substr(0, table.front().name.find('/') + 1);
  const bool shared =
      !folder.empty() && std::all_of(table.begin(), table.end(),
                                     [&](const Row& row) { return row.name.starts_with(folder); });
  std::size_t width = 4;
  for (Row& row : table) {
    if (shared) row.name.erase(0, folder.size());
    width = std::max(width, row.name.size());
  }
  const bool digests =
      std::any_of(table.begin(), table.end(), [](const Row& row) { return !row.sha256.empty(); });
  std::string out = shared ? fmt::format("\n{}\n", folder) : "\n";
  out += fmt::format("  {:<{}} {:>9} {:>12}{}\n", "file", width, "rows", "bytes",
                     digests ? "  sha256" : "");
  for (const Row& row : table) {
    out += fmt::format("  {:<{}} {:>9} {:>12}", row.name, width, row.rows.empty() ? "-" : row.rows,
                       row.bytes);
    out += digests ? "  " + row.sha256 + "\n" : "\n";
  }
  return out;
}

std::string readable_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (amount < 1000) break;
    amount /= 1000;
    unit = next;
  }
  return fmt::format("{:.1f} {}", amount, unit);
}

std::string record_in_short(const Json& record) {
  std::string out;
  line(out, "run", text(at(record, "run_id")));
  line(out, "state", text(at(record, "state")));
  line(out, "target", text(at(record, "target")));
  line(out, "devices", devices(record));
  line(out, "workload", workload(record));
  const Json& window = at(record, "window");
  line(out, "warm-up", warmup(record));
  line(out, "  steps", milliseconds(at(window, "warmup_ms")));
  line(out, "window", milliseconds(at(window, "step_ms")));
  line(out, "verdict", verdict(record));
  anomalies(out, record);
  if (const Json& error = at(record, "error"); error.is_object()) {
    line(out, "error", text(at(error, "code")) + ": " + text(at(error, "message")));
    line(out, "", text(at(error, "remedy")));
  }
  artifact(out, record);
  return out;
}

}  // namespace npuprof::cli
