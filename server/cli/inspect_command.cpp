#include "cli/inspect_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "cli/record_text.hpp"
#include "cli/temporary_folder.hpp"
#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"
#include "core/tool.hpp"
#include "evidence/assessment.hpp"
#include "evidence/report.hpp"
#include "transfer/unpack.hpp"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

bool is_archive(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view suffix : {".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".tar"}) {
    if (name.ends_with(suffix)) return true;
  }
  return false;
}

std::string in_words(const fs::path& path, const evidence::Assessment& assessment) {
  std::string out = fmt::format("{}\n\n", path.string());
  out += record_in_short({{"verdict",
                           {{"trust", evidence::to_string(assessment.verdict.trust)},
                            {"reasons", assessment.verdict.reasons}}},
                          {"warmup",
                           {{"verdict", evidence::to_string(assessment.warmup.verdict)},
                            {"evidence", assessment.warmup.evidence}}},
                          {"anomalies", assessment.anomalies}});
  out += "\nchecks\n";
  for (const Check& check : assessment.checks) {
    out += fmt::format("  {:<8} {:<24} {}\n", to_string(check.status), check.id, check.message);
    if (check.status != CheckStatus::pass && !check.remedy.empty()) {
      out += fmt::format("  {:<8} {:<24} -> {}\n", "", "", check.remedy);
    }
  }
  return out + file_table(assessment.files);
}

ExitCode failed_with(const Error& error, const InspectOptions& options, std::ostream& out,
                     std::ostream& err) {
  const ToolResult result = failed(error);
  if (options.as_json) out << result.structured.dump(2) << std::endl;
  err << result.text << std::endl;
  return exit_code_of(error);
}

}  // namespace

ExitCode inspect_command(const InspectOptions& options, std::ostream& out, std::ostream& err,
                         const std::stop_token& stop) {
  std::error_code missing;
  if (!fs::exists(options.path, missing)) {
    return failed_with({.code = codes::not_found,
                        .message = options.path.string() + " is not there; nothing was read.",
                        .remedy = "Name a profiler output folder of this machine, or a .tar.gz "
                                  "of one."},
                       options, out, err);
  }
  std::optional<TemporaryFolder> unpacked;
  fs::path directory = options.path;
  if (fs::is_regular_file(options.path, missing) && is_archive(options.path)) {
    unpacked.emplace();
    directory = unpacked->path() / "profile";
    const auto done = transfer::unpack(options.path, directory, {}, stop);
    if (!done) return failed_with(done.error(), options, out, err);
  }
  const evidence::Assessment assessment = evidence::assess(directory, {}, stop);
  if (stop.stop_requested()) return interrupted;

  Json document = assessment;
  document["ok"] = true;
  document["simulated"] = assessment.simulated;
  document["path"] = options.path.string();
  if (options.html) {
    const auto written =
        replace_file(*options.html, evidence::render_report(document, assessment.details), 0644);
    if (!written) return failed_with(written.error(), options, out, err);
  }
  if (options.as_json) {
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    out << in_words(options.path, assessment) << std::flush;
  }
  return exit_code_of(document);
}

}  // namespace npuprof::cli
