#include "transfer/intake.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "transfer/safe_path.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::size_t most_single_syncs = 8;

}  // namespace

Intake::Intake(SafeTree& tree, int holding, Verified verified, std::function<void()> failed)
    : tree_(tree),
      holding_(holding),
      verified_(std::move(verified)),
      failed_(std::move(failed)),
      thread_([this] { work(); }) {}

Intake::~Intake() {
  (void)finish();
}

void Intake::arrived(const RemoteFile& file, const std::string& name, const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  auto& entry = waiting_[file.path];
  entry.remote = file;
  entry.name = name;
  entry.sum = sha256;
  move_if_ready(file.path);
}

void Intake::hashed(const std::string& path, const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  waiting_[path].remote_sum = sha256;
  move_if_ready(path);
}

void Intake::move_if_ready(const std::string& path) {
  const auto entry = waiting_.find(path);
  if (!entry->second.remote || entry->second.remote_sum.empty()) return;
  ready_.push_back(std::move(entry->second));
  waiting_.erase(entry);
  changed_.notify_all();
}

std::vector<std::string> Intake::waiting() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> paths;
  for (const auto& [path, file] : waiting_) {
    if (file.remote) paths.push_back(path);
  }
  return paths;
}

Result<void> Intake::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (const auto& [path, file] : waiting_) {
    if (file.remote) ::unlinkat(holding_, file.name.c_str(), 0);
  }
  waiting_.clear();
  if (error_) return fail(*error_);
  return {};
}

void Intake::work() {
  while (true) {
    std::vector<File> files;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !ready_.empty() || finishing_; });
      if (ready_.empty()) return;
      files.swap(ready_);
    }
    auto placed = error_ ? fail(*error_) : place(files);
    if (placed) continue;
    if (!error_) failed_();
    error_ = placed.error();
    for (const auto& file : files) ::unlinkat(holding_, file.name.c_str(), 0);
  }
}

// Syncing the file system once is cheaper than syncing many files, but waits for all that anybody
// writes there.
Result<void> Intake::sync(const std::vector<File>& files) {
  if (files.size() > most_single_syncs) return tree_.sync();
  for (const auto& file : files) {
    const FileHandle handle(
        ::openat(holding_, file.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!handle || ::fdatasync(handle.get()) != 0) {
      return fail(home_error("Can't sync " + shown_path(file.remote->path), errno));
    }
  }
  return {};
}

Result<void> Intake::place(const std::vector<File>& files) {
  if (auto synced = sync(files); !synced) return synced;
  for (const auto& file : files) {
    if (file.sum != file.remote_sum) {
      ::unlinkat(holding_, file.name.c_str(), 0);
      mismatched_.insert(file.remote->path);
      continue;
    }
    if (auto moved = tree_.adopt(holding_, file.name, file.remote->path); !moved) return moved;
    if (auto noted = verified_(*file.remote, file.sum); !noted) return noted;
  }
  return {};
}

}  // namespace npuprof::transfer
