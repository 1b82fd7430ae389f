#include <algorithm>

#include "evidence/findings.hpp"

namespace npuprof::evidence {
namespace {

struct Wanted {
  FileKind kind;
  const char* name;
  bool essential;
};

// What the profiler writes for these settings, and nothing that it may leave out: it makes no file
// for a table without rows.
std::vector<Wanted> wanted_files(const Question& question) {
  const Profile& profile = question.profile;
  std::vector<Wanted> wanted = {{FileKind::trace, "trace_view.json", true}};
  if (!question.npu || question.level == "none") return wanted;
  wanted.push_back({FileKind::kernel_details, "kernel_details.csv", true});
  wanted.push_back({FileKind::step_trace, "step_trace_time.csv", true});
  const bool full = question.level == "l1" || question.level == "l2";
  if (!full || !profile.info || !profile.info->readable) return wanted;
  // Releases of 2023 write fewer statistics, and which is not known.
  if (!profile.info->old_keys) {
    wanted.push_back({FileKind::api_statistic, "api_statistic.csv", false});
    wanted.push_back({FileKind::op_statistic, "op_statistic.csv", false});
  }
  if (profile.kernels && profile.kernels->communication.rows > 0) {
    wanted.push_back({FileKind::communication, "communication.json", false});
    wanted.push_back({FileKind::communication_matrix, "communication_matrix.json", false});
  }
  if (question.cpu && profile.trace && profile.trace->operator_events > 0) {
    wanted.push_back({FileKind::operator_details, "operator_details.csv", false});
  }
  return wanted;
}

void report_missing(const Question& question, const std::vector<Wanted>& wanted,
                    Findings& findings) {
  const Profile& profile = question.profile;
  Json missing = Json::array();
  Json there = Json::array();
  bool essential = false;
  for (const Wanted& file : wanted) {
    if (profile.has(file.kind)) {
      there.push_back(file.name);
      continue;
    }
    missing.push_back(file.name);
    essential |= file.essential;
    findings.anomaly(
        "MISSING_FILE", file.essential ? Severity::error : Severity::warning,
        std::string(file.name) + " is not there" +
            (profile.path.empty() ? "" : " in " + profile.path) + ".",
        {{"file", file.name}, {"level", question.level.empty() ? Json() : Json(question.level)}},
        "Look into logs/ of the profile and run the export again; if it is still missing, profile "
        "again.");
  }
  if (missing.empty()) {
    findings.check("files_there", CheckStatus::pass, "every file that these settings make is there",
                   {{"there", there}});
  } else {
    findings.check("files_there", essential ? CheckStatus::fail : CheckStatus::warn,
                   "missing: " + missing.dump(), {{"there", there}, {"missing", missing}},
                   "run the export again");
  }
}

void check_database(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  const SourceFile* file = profile.file(FileKind::database);
  if (file == nullptr) {
    if (profile.has_output_folder) {
      findings.check("files_there", CheckStatus::fail, "the database of the export is missing");
      findings.anomaly("MISSING_FILE", Severity::error, "ascend_pytorch_profiler.db is not there.",
                       {{"file", "ascend_pytorch_profiler.db"}, {"export", "db"}},
                       "Run the export again.");
    } else {
      findings.check("files_there", CheckStatus::unknown,
                     "exported as a database alone, so no CSV or JSON is due; the database itself "
                     "is not in this folder");
    }
    return;
  }
  if (!profile.database || !profile.database->readable) {
    const std::string why = profile.database ? profile.database->problem : "it was not read";
    findings.check("files_there", CheckStatus::fail, file->entry.name + ": " + why);
    if (file->content != Content::git_lfs_pointer) {
      findings.anomaly("UNREADABLE_FILE", Severity::error,
                       file->entry.path + " is no database that can be read: " + why + ".",
                       {{"file", file->entry.path}, {"holds", to_string(file->content)}},
                       "Fetch it again.");
    }
    return;
  }
  const auto kernels = profile.database->rows("COMPUTE_TASK_INFO");
  const auto tasks = profile.database->rows("TASK");
  const Json evidence = {
      {"tables", profile.database->tables.size()}, {"tasks", tasks}, {"compute_tasks", kernels}};
  if (tasks == 0 && kernels == 0 && profile.database->rows("STEP_TIME") == 0) {
    findings.check("files_there", CheckStatus::fail, "the database holds no task", evidence);
    findings.anomaly("EMPTY_TABLE", Severity::error, file->entry.path + " holds no task.", evidence,
                     "Run the export again; if it stays empty, profile again.");
    return;
  }
  findings.check("files_there", CheckStatus::pass,
                 "exported as a database alone, so no CSV or JSON is due", evidence);
}

void check_contents(const Question& question, Findings& findings) {
  for (const SourceFile& file : question.profile.files) {
    if (file.place.kind == FileKind::other || file.place.kind == FileKind::done_marker ||
        file.place.kind == FileKind::log || file.place.raw) {
      continue;
    }
    if (!file.read) {
      findings.check("files_read", CheckStatus::unknown,
                     file.entry.path + " was not read to its end" +
                         (file.problem.empty() ? "" : ": " + file.problem));
      continue;
    }
    switch (file.content) {
      case Content::git_lfs_pointer: {
        Json evidence = {
            {"file", file.entry.path}, {"bytes", file.entry.bytes}, {"oid", file.pointer.oid}};
        if (file.pointer.bytes) evidence["real_bytes"] = *file.pointer.bytes;
        findings.anomaly("GIT_LFS_POINTER", Severity::error,
                         file.entry.path + " is a Git-LFS pointer, not the file itself" +
                             (file.pointer.bytes
                                  ? " (which has " + std::to_string(*file.pointer.bytes) + " bytes)"
                                  : "") +
                             ".",
                         std::move(evidence), "Run git lfs pull where the file came from.");
        findings.check("files_read", CheckStatus::fail, file.entry.path + " is a Git-LFS pointer");
        break;
      }
      case Content::utf16:
      case Content::gzip:
      case Content::zip:
      case Content::binary:
      case Content::sqlite:
        if (file.place.kind == FileKind::database && file.content == Content::sqlite) break;
        if (file.place.kind == FileKind::database) break;  // said by its own check
        findings.anomaly(
            "UNREADABLE_FILE", Severity::error,
            file.entry.path + " holds " + std::string(to_string(file.content)) +
                ", not what its name says.",
            {{"file", file.entry.path}, {"holds", to_string(file.content)}},
            file.content == Content::gzip ? "Unpack it with gunzip." : "Fetch or export it again.");
        findings.check("files_read", CheckStatus::fail,
                       file.entry.path + " holds " + std::string(to_string(file.content)));
        break;
      default:
        break;
    }
  }
}

}  // namespace

void check_files(const Question& question, Findings& findings) {
  const Profile& profile = question.profile;
  check_contents(question, findings);
  if (profile.layout == Layout::loose) {
    findings.check("files_there", CheckStatus::skip,
                   "loose files: which others should be there is not known");
    return;
  }
  if (profile.layout == Layout::msprof) {
    if (profile.has_output_folder) {
      report_missing(question, {{FileKind::op_summary, "op_summary_*.csv", true}}, findings);
    }
    return;
  }
  if (question.database && !question.text) return check_database(question, findings);
  if (!question.profile.has_data() && findings.has("EXPORT_FAILED")) return;
  if (!question.profile.has_data() && findings.has("KILLED_MID_CAPTURE")) return;
  if (!profile.info && profile.has(FileKind::database) && !profile.has(FileKind::kernel_details) &&
      !profile.has(FileKind::trace)) {
    return check_database(question, findings);
  }
  report_missing(question, wanted_files(question), findings);
}

}  // namespace npuprof::evidence
