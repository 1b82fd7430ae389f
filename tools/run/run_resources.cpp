#include "run/run_resources.hpp"

#include <charconv>

#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "run/record_view.hpp"

namespace npuprof::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view scheme = "npuprof://runs/";
constexpr std::size_t page_size = 50;
constexpr std::size_t largest_text = 2u << 20;
constexpr std::size_t largest_other = 1u << 20;
constexpr std::size_t most_completions = 20;

std::string mime_type(const fs::path& file) {
  const auto extension = file.extension();
  if (extension == ".json") return "application/json";
  if (extension == ".jsonl") return "application/jsonl";
  if (extension == ".csv") return "text/csv";
  if (extension == ".txt" || extension == ".log") return "text/plain";
  if (extension == ".html") return "text/html";
  if (extension == ".gz") return "application/gzip";
  return "application/octet-stream";
}

bool is_text(const std::string& mime) {
  return mime.starts_with("text/") || mime.starts_with("application/json");
}

ResourceInfo manifest_of(const Record& record) {
  return {.uri = resource_uri(record.run_id, "manifest.json"),
          .name = record.run_id + "/manifest.json",
          .title = "Manifest of " + record.run_id,
          .description =
              "every file of the artifact, with size, SHA-256 and rows; versions, "
              "workload, verdict",
          .mime_type = "application/json"};
}

Error not_found(const std::string& uri) {
  return {.code = codes::not_found,
          .message = "there is no resource " + clean_host_text(uri, 300),
          .remedy = "resources/list names those there are.",
          .who = Who::agent};
}

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end() && rest != path.end();
}

// The file of this machine that `path` of a run means, or nothing where it leads out.
std::optional<fs::path> file_of(const RunStore& store, const Record& record,
                                const std::string& path) {
  fs::path root = store.directory(record.run_id);
  fs::path file = root / path;
  if (path == "manifest.json" && record.artifact.contains("manifest_path")) {
    file = record.artifact["manifest_path"].get<std::string>();
    root = file.parent_path();
  } else if (path.starts_with("profile_l1/") && record.artifact.contains("directory")) {
    root = record.artifact["directory"].get<std::string>();
    file = root / path.substr(std::string_view("profile_l1/").size());
  } else if (path != "run.json" && path != "journal.jsonl") {
    return std::nullopt;
  }
  std::error_code error;
  const auto real_root = fs::canonical(root, error);
  if (error) return std::nullopt;
  const auto real_file = fs::canonical(file, error);
  if (error || !is_below(real_file, real_root) || !fs::is_regular_file(real_file, error)) {
    return std::nullopt;
  }
  return real_file;
}

}  // namespace

Result<ResourcePage> RunResources::list(const std::string& cursor) {
  std::size_t start = 0;
  if (!cursor.empty()) {
    const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), start);
    if (error != std::errc() || end != cursor.data() + cursor.size()) {
      return fail({.code = codes::invalid_arguments, .message = "that is no cursor of this list"});
    }
  }
  ResourcePage page;
  auto records = store_.list();
  std::erase_if(records, [](const Record& r) { return !r.artifact.contains("manifest_path"); });
  for (std::size_t i = start; i < records.size() && page.items.size() < page_size; ++i) {
    page.items.push_back(manifest_of(records[i]));
  }
  if (start + page.items.size() < records.size()) {
    page.next_cursor = std::to_string(start + page.items.size());
  }
  return page;
}

std::vector<ResourceTemplateInfo> RunResources::templates() {
  return {{.uri_template = "npuprof://runs/{run_id}/{+path}",
           .name = "run file",
           .title = "A file of a run",
           .description = "run.json, journal.jsonl, manifest.json, or a path below profile_l1/ as "
                          "the manifest lists it"}};
}

Result<std::vector<ResourceContents>> RunResources::read(const std::string& uri, CallContext&) {
  if (!uri.starts_with(scheme)) return fail(not_found(uri));
  const auto rest = uri.substr(scheme.size());
  const auto slash = rest.find('/');
  if (slash == std::string::npos) return fail(not_found(uri));
  auto record = store_.load(rest.substr(0, slash));
  if (!record) return fail(not_found(uri));
  const auto file = file_of(store_, *record, rest.substr(slash + 1));
  if (!file) return fail(not_found(uri));
  const auto mime = mime_type(*file);
  auto content = read_local_file(*file, is_text(mime) ? largest_text : largest_other);
  if (!content) {
    auto error = content.error();
    if (error.code == codes::too_large) error.remedy = "Read it from the disk: " + file->string();
    return fail(std::move(error));
  }
  return std::vector<ResourceContents>{
      {.uri = uri, .mime_type = mime, .bytes = *std::move(content), .is_text = is_text(mime)}};
}

std::vector<std::string> RunResources::complete(const std::string&, const std::string& variable,
                                                const std::string& prefix,
                                                const std::map<std::string, std::string>& chosen) {
  std::vector<std::string> found;
  const auto offer = [&](const std::string& value) {
    if (value.starts_with(prefix) && found.size() < most_completions) found.push_back(value);
  };
  if (variable == "run_id") {
    for (const auto& record : store_.list()) offer(record.run_id);
  } else if (variable == "path") {
    for (const char* name : {"manifest.json", "run.json", "journal.jsonl"}) offer(name);
    const auto run = chosen.find("run_id");
    const auto record =
        run == chosen.end() ? Result<Record>(fail(Error{})) : store_.load(run->second);
    if (record) {
      for (const auto& file : record->artifact.value("files", Json::array())) {
        offer("profile_l1/" + file.value("path", ""));
      }
    }
  }
  return found;
}

}  // namespace npuprof::run
