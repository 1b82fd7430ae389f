#include "run/prune.hpp"

#include "run/retry.hpp"
#include "transfer/remote_cleanup.hpp"

namespace npuprof::run {
namespace {

namespace fs = std::filesystem;

bool may_go(const Record& record) {
  if (record.pinned || !is_final(record.state)) return false;
  return !record.has_output() || record.artifact_state() == "verified";
}

// Removes the run's own directory from its host; of a fetched directory nothing is ours there.
Result<void> remove_there(Runs& runs, const Record& record, const std::stop_token& stop) {
  auto target = find_target(runs.config(), record.target);
  if (!target) return fail(target.error());
  auto host = runs.parts().host_of(**target);
  if (!host) return fail(host.error());
  return transfer::remove_remote(**host, record.workspace, record.run_id, stop);
}

Pruned remove(Runs& runs, const Record& record, Pruned pruned, const std::stop_token& stop) {
  auto lock = runs.store().try_lock(record.run_id);
  if (!lock || !*lock) {
    pruned.left = "somebody works on it";
    return pruned;
  }
  if (record.started && !record.foreign) {
    if (auto gone = remove_there(runs, record, stop); !gone) {
      pruned.left = gone.error().message;
      return pruned;
    }
    pruned.removed_there = true;
  }
  auto gone = runs.store().remove(record.run_id);
  pruned.removed_here = gone.has_value();
  if (!gone) pruned.left = gone.error().message;
  return pruned;
}

}  // namespace

std::uint64_t bytes_at_home(const RunStore& store, const std::string& run_id) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(store.directory(run_id), error)) {
    std::error_code ignored;
    if (!entry.is_symlink(ignored) && entry.is_regular_file(ignored)) {
      bytes += entry.file_size(ignored);
    }
  }
  return bytes;
}

std::vector<Pruned> prune(Runs& runs, const PruneLimits& limits, const std::stop_token& stop) {
  std::vector<std::pair<Record, Pruned>> going;
  std::size_t kept = 0;
  std::uint64_t kept_bytes = 0;
  for (const auto& record : runs.store().list()) {  // latest first
    const auto bytes = bytes_at_home(runs.store(), record.run_id);
    const bool over =
        (limits.oldest && is_past(record.created_at, *limits.oldest, runs.parts().clock)) ||
        (limits.most && kept >= *limits.most) ||
        (limits.most_bytes && kept_bytes + bytes > *limits.most_bytes);
    if (over && may_go(record)) {
      going.emplace_back(record, Pruned{.run_id = record.run_id, .bytes = bytes, .left = {}});
    } else {
      ++kept;
      kept_bytes += bytes;
    }
  }
  std::vector<Pruned> result;
  for (auto item = going.rbegin(); item != going.rend(); ++item) {
    if (stop.stop_requested()) break;
    result.push_back(limits.dry_run ? item->second : remove(runs, item->first, item->second, stop));
  }
  return result;
}

}  // namespace npuprof::run
