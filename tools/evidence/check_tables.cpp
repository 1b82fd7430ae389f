#include <algorithm>

#include "core/host_text.hpp"
#include "evidence/findings.hpp"

namespace npuprof::evidence {
namespace {

bool is_table(FileKind kind) {
  switch (kind) {
    case FileKind::kernel_details:
    case FileKind::op_summary:
    case FileKind::step_trace:
    case FileKind::operator_details:
    case FileKind::api_statistic:
    case FileKind::op_statistic:
    case FileKind::other_table:
      return true;
    default:
      return false;
  }
}

bool is_essential(FileKind kind) {
  return kind == FileKind::kernel_details || kind == FileKind::op_summary ||
         kind == FileKind::step_trace;
}

void check_table(const SourceFile& file, Json& rows, int& bad, Findings& findings) {
  const auto& table = *file.table;
  const Severity severity = is_essential(file.place.kind) ? Severity::error : Severity::warning;
  rows[file.entry.path] = table.rows;
  const bool cut = table.open_quote_at_end || (!table.ends_with_newline && table.last_row_ragged);
  if (table.rows == 0) {
    ++bad;
    findings.anomaly("EMPTY_TABLE", severity,
                     file.entry.path + (table.has_header ? " has a header and no rows."
                                                         : " is empty: not even a header."),
                     {{"file", file.entry.path}, {"bytes", file.entry.bytes}},
                     "Look into logs/ of the profile and run the export again; if it stays empty, "
                     "the profiler recorded nothing of the kind.");
  }
  if (cut) {
    ++bad;
    findings.anomaly("TRUNCATED_FILE", severity,
                     file.entry.path + (table.open_quote_at_end ? " ends inside a quoted cell."
                                                                : " ends in the middle of a row."),
                     {{"file", file.entry.path}, {"rows", table.rows}, {"bytes", file.entry.bytes}},
                     "Fetch it again; if it is the same on the host, run the export again.");
  } else if (table.rows > 0 && !table.ends_with_newline) {
    findings.anomaly("TRUNCATED_FILE", Severity::info,
                     file.entry.path +
                         " does not end with a line break, as the profiler's tables "
                         "do: its last row may be cut.",
                     {{"file", file.entry.path}, {"rows", table.rows}, {"bytes", file.entry.bytes}},
                     "Compare its size with that on the host.");
  }
  const std::uint64_t ragged = table.ragged_rows - (cut && table.last_row_ragged ? 1 : 0);
  if (table.header_oversized) {
    ++bad;
    findings.anomaly("UNREADABLE_FILE", severity, file.entry.path + " has no readable header.",
                     {{"file", file.entry.path}}, "Export it again.");
  } else if (ragged > 0) {
    ++bad;
    findings.anomaly("RAGGED_ROWS", Severity::warning,
                     file.entry.path + ": " + std::to_string(ragged) +
                         " row(s) have not as many cells as the header, so their cells stand under "
                         "the wrong names.",
                     {{"file", file.entry.path},
                      {"rows", ragged},
                      {"first_row", table.first_ragged_row},
                      {"columns", table.columns}},
                     "Leave these rows out; export again where the profile still exists.");
  }
  if (table.oversized_rows > 0) {
    ++bad;
    findings.anomaly("UNREADABLE_FILE", severity,
                     file.entry.path + ": " + std::to_string(table.oversized_rows) +
                         " row(s) are longer than any that the profiler writes, and were not read.",
                     {{"file", file.entry.path}, {"rows", table.oversized_rows}},
                     "Export it again.");
  }
}

void check_columns(const std::string& file, const std::vector<std::string>& missing,
                   Severity severity, Findings& findings, int& bad) {
  if (missing.empty()) return;
  ++bad;
  Json names = Json::array();
  for (const auto& name : missing) {
    if (names.size() < 30) names.push_back(clean_host_text(name, 100));
  }
  findings.anomaly("COLUMNS_MISSING", severity,
                   file + " lacks columns that every known release writes: " + names.dump() + ".",
                   {{"file", file}, {"missing", names}},
                   "If a tool has rewritten the table, take the original; otherwise it is of a "
                   "release that is not known here.");
}

}  // namespace

// Rows counted, none ragged or cut, and the columns by which the tables are read.
void check_tables(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  const std::size_t before = findings.anomalies().size();
  Json rows = Json::object();
  int bad = 0;
  for (const SourceFile& file : profile.files) {
    if (!is_table(file.place.kind) || !file.table || file.place.raw) continue;
    check_table(file, rows, bad, findings);
  }
  for (const SourceFile& file : profile.files) {
    const bool json = file.place.kind == FileKind::communication ||
                      file.place.kind == FileKind::communication_matrix ||
                      file.place.kind == FileKind::profiler_info ||
                      file.place.kind == FileKind::profiler_metadata;
    if (!json || file.place.raw || !file.read || file.problem.empty()) continue;
    ++bad;
    findings.anomaly(
        "TRUNCATED_FILE", Severity::warning,
        file.entry.path + " can't be read: " + clean_host_text(file.problem, 200) + ".",
        {{"file", file.entry.path}, {"bytes", file.entry.bytes}},
        "Fetch it again; if it is the same on the host, run the export again.");
  }
  const auto name_of = [&](FileKind kind, FileKind other) {
    const SourceFile* file = profile.file(kind);
    if (file == nullptr) file = profile.file(other);
    return file == nullptr ? std::string("the table") : file->entry.path;
  };
  if (const auto& kernels = profile.kernels) {
    const std::string file = name_of(FileKind::kernel_details, FileKind::op_summary);
    check_columns(file, kernels->missing_columns, Severity::error, findings, bad);
    if (!kernels->misplaced_columns.empty()) {
      findings.anomaly("COLUMNS_REORDERED", Severity::info,
                       file +
                           " has its columns in an order that no known release writes; they "
                           "were read by name.",
                       {{"file", file}, {"out_of_place", kernels->misplaced_columns}},
                       "None is needed if the rows were reordered with the header.");
    }
    if (kernels->unreadable_rows > 0) {
      ++bad;
      findings.anomaly("UNREADABLE_ROWS", Severity::error,
                       file + ": " + std::to_string(kernels->unreadable_rows) +
                           " row(s) have no readable start or duration.",
                       {{"file", file},
                        {"rows", kernels->unreadable_rows},
                        {"first", clean_host_text(kernels->first_unreadable, 60)}},
                       "Export the table again; don't use its sums.");
    }
  }
  if (const auto& steps = profile.steps) {
    const std::string file = name_of(FileKind::step_trace, FileKind::step_trace);
    check_columns(file, steps->missing_columns, Severity::error, findings, bad);
    if (steps->unreadable_rows > 0) {
      ++bad;
      findings.anomaly("UNREADABLE_ROWS", Severity::error,
                       file + ": " + std::to_string(steps->unreadable_rows) +
                           " row(s) hold something else than times.",
                       {{"file", file}, {"rows", steps->unreadable_rows}}, "Export it again.");
    }
  }
  if (profile.api) {
    check_columns(name_of(FileKind::api_statistic, FileKind::api_statistic),
                  profile.api->missing_columns, Severity::warning, findings, bad);
  }
  if (profile.ops) {
    check_columns(name_of(FileKind::op_statistic, FileKind::op_statistic),
                  profile.ops->missing_columns, Severity::warning, findings, bad);
  }
  if (rows.empty()) return;
  const auto& anomalies = findings.anomalies();
  const bool errors =
      std::any_of(anomalies.begin() + static_cast<long>(before), anomalies.end(),
                  [](const Anomaly& anomaly) { return anomaly.severity == Severity::error; });
  findings.check("tables",
                 bad == 0 ? CheckStatus::pass
                 : errors ? CheckStatus::fail
                          : CheckStatus::warn,
                 bad == 0 ? "every table has rows, and all rows are whole"
                          : "some tables are empty, cut or odd: see the anomalies",
                 {{"rows", rows}});
}

}  // namespace npuprof::evidence
