#include "transfer/home.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>

#include "core/error_codes.hpp"
#include "core/sha256.hpp"
#include "transfer/safe_path.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::uint64_t block = 1 << 20;

bool holds_something(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  if (!std::filesystem::exists(status)) return false;
  return !std::filesystem::is_directory(status) || !std::filesystem::is_empty(path, ignored);
}

std::optional<std::string> sum_of(int file) {
  Sha256 sum;
  std::string buffer(256 * 1024, '\0');
  while (true) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return sum.hex();
    sum.update({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace

Home::Home(std::filesystem::path home, HomeJournal journal)
    : home_(std::move(home)), journal_(std::move(journal)) {}

Result<std::unique_ptr<Home>> Home::open(const std::filesystem::path& home,
                                         const std::string& source, const std::string& remote_dir,
                                         bool overwrite) {
  const auto journal_path = home / "transfer.jsonl";
  auto journal = HomeJournal::load(journal_path, source, remote_dir);
  const auto directory = home / "profile_l1";
  const auto archive = home / "profile_l1.tar.gz";
  const auto holding = home / "profile_l1.partial";
  const auto gone = home / "profile_l1.gone";
  if (!journal) {
    if (!overwrite && (holds_something(directory) || holds_something(archive))) {
      return fail({.code = codes::already_exists,
                   .message = home.string() +
                              " already holds a profile of another origin; nothing was fetched",
                   .remedy = "Name another output directory, or allow it to be overwritten.",
                   .who = Who::agent});
    }
    std::error_code error;
    for (const auto& path : {directory, archive, holding, gone, journal_path}) {
      std::filesystem::remove_all(path, error);
      if (error) return fail(home_error("Can't remove " + path.string(), error.value()));
    }
    journal = HomeJournal::fresh(journal_path, source, remote_dir);
  }
  std::unique_ptr<Home> out(new Home(home, std::move(*journal)));
  for (const auto& path : {directory, holding}) {
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
      return fail(home_error("Can't make " + path.string(), errno));
    }
  }
  out->holding_ =
      FileHandle(::open(holding.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!out->holding_) return fail(home_error("Can't open " + holding.string(), errno));
  auto tree = SafeTree::open(directory);
  if (!tree) return fail(tree.error());
  out->tree_ = std::move(*tree);
  out->remove_useless();
  if (auto begun = out->journal_.begin(); !begun) return fail(begun.error());
  return out;
}

Home::~Home() {
  remove_useless();
  std::error_code ignored;
  std::filesystem::remove(holding_path(), ignored);  // only where it is empty
  std::filesystem::remove(directory(), ignored);
  if (journal_.empty()) std::filesystem::remove(journal_.path(), ignored);
}

void Home::remove_useless() {
  std::set<std::string> useful;
  std::vector<std::string> lost;
  for (const auto& [path, partial] : journal_.partials()) {
    struct stat info {};
    const bool there =
        ::fstatat(holding_.get(), partial.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode);
    if (there && info.st_size >= static_cast<off_t>(block)) {
      useful.insert(partial.name);
    } else {
      lost.push_back(path);
    }
  }
  for (const auto& path : lost) journal_.forget_partial(path);
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(holding_path(), ignored), end; entry != end;
       entry.increment(ignored)) {
    if (!useful.contains(entry->path().filename())) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

std::optional<ArtifactFile> Home::verified(const RemoteFile& file) {
  const auto known = journal_.files().find(file.path);
  if (known == journal_.files().end() || known->second.size != file.size ||
      known->second.modified_ns != file.modified_ns) {
    return std::nullopt;
  }
  const auto checked = checked_.find(file.path);
  if (checked != checked_.end() && checked->second.sha256 == known->second.sha256) {
    return checked->second;
  }
  const auto handle = tree_->open_for_reading(file.path);
  struct stat info {};
  if (!handle || ::fstat(handle->get(), &info) != 0 ||
      static_cast<std::uint64_t>(info.st_size) != file.size ||
      sum_of(handle->get()) != known->second.sha256) {
    return std::nullopt;
  }
  return checked_[file.path] = {.path = file.path,
                                .bytes = file.size,
                                .sha256 = known->second.sha256,
                                .modified_ns = file.modified_ns};
}

Result<void> Home::keep(const RemoteFile& file, const std::string& sha256) {
  const std::lock_guard lock(noting_);
  checked_[file.path] = {
      .path = file.path, .bytes = file.size, .sha256 = sha256, .modified_ns = file.modified_ns};
  return journal_.add(
      file.path,
      HomeJournal::File{.size = file.size, .modified_ns = file.modified_ns, .sha256 = sha256});
}

Result<void> Home::note_begun(const RemoteFile& file, const std::string& name) {
  const std::lock_guard lock(noting_);
  return journal_.add(
      file.path,
      HomeJournal::Partial{.size = file.size, .modified_ns = file.modified_ns, .name = name});
}

std::string Home::begun_name(const RemoteFile& file) const {
  const auto partial = journal_.partials().find(file.path);
  if (partial == journal_.partials().end() || partial->second.size != file.size ||
      partial->second.modified_ns != file.modified_ns) {
    return {};
  }
  return partial->second.name;
}

std::uint64_t Home::begun_bytes(const RemoteFile& file) const {
  const auto name = begun_name(file);
  struct stat info {};
  if (name.empty() || ::fstatat(holding_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return 0;
  }
  const auto size = std::min(static_cast<std::uint64_t>(info.st_size), file.size);
  return size / block * block;
}

Result<FileHandle> Home::reopen_begun(const RemoteFile& file) const {
  FileHandle handle(
      ::openat(holding_.get(), begun_name(file).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!handle) return fail(home_error("Can't go on with " + shown_path(file.path), errno));
  return handle;
}

void Home::forget_begun(const std::string& path) {
  const auto partial = journal_.partials().find(path);
  if (partial == journal_.partials().end()) return;
  ::unlinkat(holding_.get(), partial->second.name.c_str(), 0);
  journal_.forget_partial(path);
}

Result<void> Home::set_aside(const std::string& path) {
  const auto gone = home_ / "profile_l1.gone";
  if (::mkdir(gone.c_str(), 0777) != 0 && errno != EEXIST) {
    return fail(home_error("Can't make " + gone.string(), errno));
  }
  auto tree = SafeTree::open(gone);
  if (!tree) return fail(tree.error());
  if (auto moved = tree_->hand_over(path, *tree);
      !moved && moved.error().code != codes::not_found) {
    return moved;
  }
  return journal_.drop(path);
}

Result<void> Home::remove_directory() {
  std::error_code error;
  std::filesystem::remove_all(directory(), error);
  if (error) return fail(home_error("Can't remove " + directory().string(), error.value()));
  return {};
}

std::uint64_t Home::first_free_number() const {
  std::uint64_t highest = 0;
  for (const auto& [path, partial] : journal_.partials()) {
    std::uint64_t number = 0;
    const auto& name = partial.name;
    std::from_chars(name.data(), name.data() + name.size(), number);
    highest = std::max(highest, number);
  }
  return highest;
}

std::uint64_t Home::free_bytes() const {
  struct statvfs info {};
  if (::fstatvfs(holding_.get(), &info) != 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace npuprof::transfer
