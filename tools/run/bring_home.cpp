#include "run/bring_home.hpp"

#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"
#include "evidence/assessment.hpp"
#include "evidence/report.hpp"
#include "run/expectations.hpp"
#include "run/manifest.hpp"
#include "transfer/fetch.hpp"
#include "transfer/safe_path.hpp"

namespace npuprof::run {
namespace {

namespace fs = std::filesystem;

// The record keeps the files that a reader wants; the manifest has all of them.
constexpr std::size_t most_listed_files = 60;

bool is_listed(const Json& file) {
  return file.contains("rows") || transfer::is_essential(file["path"].get<std::string>());
}

Json listed(const Json& files, std::size_t& left_out) {
  Json chosen = Json::array();
  for (const auto& file : files) {
    if (is_listed(file) && chosen.size() < most_listed_files) chosen.push_back(file);
  }
  left_out = files.size() - chosen.size();
  return chosen;
}

Json file_entries(const transfer::Artifact& artifact) {
  Json files = Json::array();
  for (const auto& file : artifact.files) {
    const auto path = transfer::shown_path(file.path);
    files.push_back({{"name", path.substr(path.rfind('/') + 1)},
                     {"path", path},
                     {"bytes", file.bytes},
                     {"sha256", file.sha256}});
  }
  return files;
}

// Every file of what was fetched, as the manifest lists it, is kept beside the record until the
// judgement, which may come in another process.
fs::path files_list(const BringHome& what) {
  return what.home / "files.json";
}

// Replaces what an earlier judgement said and keeps the rest, such as the precheck's checks.
void merge_checks(Json& checks, const std::vector<Check>& judged) {
  Json merged = Json::array();
  for (const auto& check : checks) {
    const bool replaced = std::any_of(judged.begin(), judged.end(), [&](const Check& other) {
      return check.value("id", "") == other.id;
    });
    if (!replaced) merged.push_back(check);
  }
  for (const auto& check : judged) merged.push_back(check);
  checks = std::move(merged);
}

void add_rows(Json& files, const evidence::Assessment& assessment) {
  for (auto& file : files) {
    const auto found =
        std::find_if(assessment.files.begin(), assessment.files.end(),
                     [&](const evidence::FileEntry& entry) { return entry.path == file["path"]; });
    if (found != assessment.files.end() && found->rows) file["rows"] = *found->rows;
  }
}

}  // namespace

std::string remote_profile(const Record& record) {
  return record.foreign ? record.remote_dir : record.remote_dir + "/profile_l1";
}

Result<void> fetch_home(Host& host, const TransferSettings& settings, const BringHome& what,
                        Record& record, const std::function<void(const Progress&)>& progress,
                        const std::stop_token& stop) {
  auto selection = transfer::Selection::from_json(what.files);
  if (!selection) return fail(selection.error());
  transfer::FetchRequest request{.remote_dir = remote_profile(record), .home = what.home};
  request.selection = *std::move(selection);
  request.archive = what.archive;
  request.unpack = what.unpack;
  request.overwrite = what.overwrite;
  request.settings = settings;
  auto artifact = transfer::fetch(
      host, request,
      [&](const transfer::TransferProgress& at) { progress(transfer::to_progress(at)); }, stop);
  if (!artifact) {
    if (record.artifact_state() != "verified") {
      std::error_code ignored;
      const bool some = fs::exists(what.home / "profile_l1", ignored);
      record.artifact["state"] = some ? "partial" : "none";
    }
    return fail(artifact.error());
  }
  Json files = file_entries(*artifact);
  if (auto kept = replace_file(files_list(what),
                               files.dump(-1, ' ', false, Json::error_handler_t::replace));
      !kept) {
    return kept;
  }
  std::size_t left_out = 0;
  record.artifact = {{"state", "verified"}, {"files", listed(files, left_out)}};
  if (left_out > 0) record.artifact["files_left_out"] = left_out;
  record.artifact["bytes"] = what.archive ? artifact->archive_bytes : artifact->bytes;
  if (!artifact->archive_path.empty()) {
    record.artifact["archive_path"] = artifact->archive_path.string();
    record.artifact["sha256"] = artifact->archive_sha256;
  }
  if (!artifact->directory.empty()) record.artifact["directory"] = artifact->directory.string();
  record.evidence["fetched"] = {{"files", artifact->files.size()},
                                {"bytes", artifact->bytes},
                                {"wire_bytes", artifact->wire_bytes},
                                {"reused_bytes", artifact->reused_bytes}};
  if (!artifact->left_out.empty())
    record.evidence["fetched"]["left_out"] = artifact->left_out.size();
  return {};
}

Result<bool> judge(const BringHome& what, const std::string& host, Record& record, Clock& clock,
                   const std::stop_token& stop) {
  auto text = read_local_file(files_list(what), 256u << 20);
  if (!text) return fail(text.error());
  Json files = Json::parse(*text, nullptr, false);
  if (!files.is_array()) {
    return fail({.code = codes::io_error,
                 .message = files_list(what).string() + " is broken",
                 .remedy = "Call fetch_artifact again."});
  }
  Json details;
  if (record.artifact.contains("directory")) {
    const fs::path directory = record.artifact["directory"].get<std::string>();
    const auto assessment = evidence::assess(directory, expectations_of(record), stop);
    if (stop.stop_requested()) return false;
    add_rows(files, assessment);
    merge_checks(record.checks, assessment.checks);
    record.anomalies = assessment.anomalies;
    // What the files say of the same thing is better founded.
    for (const auto& told : anomalies_of_run(record)) {
      const bool known = std::any_of(record.anomalies.begin(), record.anomalies.end(),
                                     [&](const Json& a) { return a["code"] == told["code"]; });
      if (!known) record.anomalies.push_back(told);
    }
    record.warmup = {{"verdict", to_string(assessment.warmup.verdict)},
                     {"evidence", assessment.warmup.evidence}};
    record.verdict = {{"trust", to_string(assessment.verdict.trust)},
                      {"reasons", assessment.verdict.reasons}};
    record.summary = assessment.summary;
    if (record.state != RunState::captured) limit_trust(record);
    if (record.backend() == "cpu") {
      record.verdict["reasons"].push_back("a dry run on the CPU: no CANN table was made");
    }
    details = assessment.details;
  } else {
    record.warmup = {{"verdict", "unknown"}};
    record.verdict = {{"trust", "unknown"},
                      {"reasons", {"the archive was not unpacked, so it was not judged"}}};
  }
  std::size_t left_out = 0;
  record.artifact["files"] = listed(files, left_out);
  const auto manifest = what.home / "manifest.json";
  auto written = replace_file(manifest, make_manifest(record, host, files, clock)
                                            .dump(1, ' ', false, Json::error_handler_t::replace));
  if (!written) return fail(written.error());
  record.artifact["manifest_path"] = manifest.string();
  Json document = to_document(record);
  document["files"] = files;
  document["simulated"] = record.simulated;
  written = replace_file(what.home / "report.html", evidence::render_report(document, details));
  if (!written) return fail(written.error());
  return true;
}

}  // namespace npuprof::run
