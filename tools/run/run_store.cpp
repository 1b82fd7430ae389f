#include "run/run_store.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "core/sha256.hpp"
#include "run/run_id.hpp"

namespace npuprof::run {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_record = 16u << 20;

Result<void> make_private_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  if (!error && (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST)) return {};
  const std::string why = error ? error.message() : std::strerror(errno);
  return fail({.code = codes::permission_denied,
               .message = "nothing was run: can't make " + directory.string() + ": " + why,
               .remedy = "Make the directory writable, or set another data_dir under [server] in "
                         "the configuration."});
}

}  // namespace

Result<RunStore> RunStore::open(const fs::path& data_dir, Clock& clock) {
  for (const char* name : {"runs", "keys"}) {
    if (auto made = make_private_directory(data_dir / name); !made) return fail(made.error());
  }
  return RunStore(data_dir, clock);
}

fs::path RunStore::directory(const std::string& run_id) const {
  return data_dir_ / "runs" / run_id;
}

Journal RunStore::journal(const std::string& run_id) const {
  return {directory(run_id) / "journal.jsonl", *clock_};
}

Result<void> RunStore::create(Record& record) const {
  const auto path = directory(record.run_id);
  if (::mkdir(path.c_str(), 0700) != 0) {
    return fail(
        {.code = errno == EEXIST ? codes::already_exists : codes::io_error,
         .message = "nothing was run: can't make " + path.string() + ": " + std::strerror(errno)});
  }
  record.created_at = to_iso8601(clock_->system());
  record.evidence["accepted"] = {{"journal", (path / "journal.jsonl").string()}};
  auto saved = save(record);
  if (saved) saved = journal(record.run_id).evidence("accepted", {{"run", path.string()}});
  if (!saved) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  return saved;
}

Result<void> RunStore::save(Record& record) const {
  record.updated_at = to_iso8601(clock_->system());
  return replace_file(directory(record.run_id) / "run.json",
                      to_document(record).dump(1, ' ', false, Json::error_handler_t::replace));
}

Result<Record> RunStore::load(const std::string& run_id) const {
  const auto unknown = [&] {
    return fail({.code = codes::run_unknown,
                 .message = "no run has the id " + clean_host_text(run_id, 200) + " here",
                 .remedy = "Call fetch_artifact without arguments to list the latest runs. A run "
                           "of another data directory is adopted by fetch_artifact with its "
                           "run_id and target.",
                 .who = Who::agent});
  };
  if (!is_run_id(run_id)) return unknown();
  auto text = read_local_file(directory(run_id) / "run.json", largest_record);
  if (!text) {
    if (text.error().code == codes::not_found) return unknown();
    return fail(text.error());
  }
  auto record = record_from(Json::parse(*text, nullptr, false));
  if (record && record->run_id != run_id) {
    return fail(
        {.code = codes::io_error, .message = "run.json of " + run_id + " is that of another run"});
  }
  return record;
}

std::vector<Record> RunStore::list() const {
  std::vector<Record> records;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data_dir_ / "runs", error)) {
    if (auto record = load(entry.path().filename().string())) {
      records.push_back(*std::move(record));
    }
  }
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
    return std::tie(a.created_at, a.run_id) > std::tie(b.created_at, b.run_id);
  });
  return records;
}

Result<std::optional<RunLock>> RunStore::try_lock(const std::string& run_id) const {
  return RunLock::try_take(directory(run_id) / "lock");
}

Result<void> RunStore::ask_cancel(const std::string& run_id) const {
  if (auto noted = journal(run_id).append({{"kind", "cancel_asked"}}); !noted) return noted;
  return replace_file(directory(run_id) / "cancel", "");
}

bool RunStore::cancel_asked(const std::string& run_id) const {
  std::error_code error;
  return fs::exists(directory(run_id) / "cancel", error);
}

Result<void> RunStore::remove(const std::string& run_id) const {
  std::error_code error;
  // The record goes first: what a crash leaves of the rest is no run any more.
  fs::remove(directory(run_id) / "run.json", error);
  if (!error) fs::remove_all(directory(run_id), error);
  if (!error) return {};
  return fail({.code = codes::io_error,
               .message = "can't remove " + directory(run_id).string() + ": " + error.message()});
}

fs::path RunStore::key_file(const std::string& target, const std::string& run_key) const {
  return data_dir_ / "keys" / sha256_hex(target + "\n" + run_key);
}

Result<RunLock> RunStore::lock_key(const std::string& target, const std::string& run_key) const {
  return RunLock::take(key_file(target, run_key).string() + ".lock");
}

std::optional<std::string> RunStore::run_of_key(const std::string& target,
                                                const std::string& run_key) const {
  auto text = read_local_file(key_file(target, run_key), 4096);
  if (!text || !is_run_id(*text)) return std::nullopt;
  return *std::move(text);
}

Result<void> RunStore::bind_key(const std::string& target, const std::string& run_key,
                                const std::string& run_id) const {
  return replace_file(key_file(target, run_key), run_id);
}

}  // namespace npuprof::run
