#include "transfer/safe_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "transfer/safe_path.hpp"

namespace npuprof::transfer {
namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

SafeTree::SafeTree(std::filesystem::path root, FileHandle handle)
    : root_(std::move(root)), handle_(std::move(handle)) {}

Result<SafeTree> SafeTree::open(const std::filesystem::path& root) {
  FileHandle handle(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle) return fail(home_error("Can't open the directory " + root.string(), errno));
  return SafeTree(root, std::move(handle));
}

Error SafeTree::error(const std::string& what, const std::string& path, int number) const {
  return home_error("Can't " + what + " " + root_.string() + "/" + shown_path(path), number);
}

Result<SafeTree::Place> SafeTree::place(const std::string& path, bool make) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return Place{handle_.get(), path};
  const std::string directory = path.substr(0, slash);
  const std::string name = path.substr(slash + 1);
  if (cached_ && directory == cached_path_) return Place{cached_.get(), name};

  FileHandle here;
  std::size_t begin = 0;
  while (begin <= directory.size()) {
    const auto end = std::min(directory.find('/', begin), directory.size());
    const std::string part = directory.substr(begin, end - begin);
    const int above = here ? here.get() : handle_.get();
    FileHandle next(::openat(above, part.c_str(), directory_flags));
    if (!next && errno == ENOENT && make) {
      if (::mkdirat(above, part.c_str(), 0777) != 0 && errno != EEXIST) {
        return fail(error("make the directory", directory, errno));
      }
      next = FileHandle(::openat(above, part.c_str(), directory_flags));
    }
    if (!next) return fail(error("open the directory", directory, errno));
    here = std::move(next);
    begin = end + 1;
  }
  cached_ = std::move(here);
  cached_path_ = directory;
  return Place{cached_.get(), name};
}

Result<FileHandle> SafeTree::create(const std::string& path, unsigned mode) {
  const auto at = place(path, true);
  if (!at) return fail(at.error());
  FileHandle file(::openat(at->directory, at->name.c_str(),
                           O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return fail(error("make", path, errno));
  return file;
}

Result<FileHandle> SafeTree::open_for_reading(const std::string& path) {
  const auto at = place(path, false);
  if (!at) return fail(at.error());
  FileHandle file(
      ::openat(at->directory, at->name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail(error("read", path, errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return fail(error("read", path, errno));
  if (!S_ISREG(info.st_mode)) return fail(error("read", path, EINVAL));
  return file;
}

Result<void> SafeTree::link(const std::string& existing, const std::string& path) {
  const auto from = place(existing, false);
  if (!from) return fail(from.error());
  const FileHandle keep(::fcntl(from->directory, F_DUPFD_CLOEXEC, 0));
  if (!keep) return fail(error("link", path, errno));
  const auto to = place(path, true);
  if (!to) return fail(to.error());
  if (::linkat(keep.get(), from->name.c_str(), to->directory, to->name.c_str(), 0) != 0) {
    return fail(error("link", path, errno));
  }
  return {};
}

Result<void> SafeTree::make_directories(const std::string& path) {
  const auto at = place(path + "/.", true);
  if (!at) return fail(at.error());
  return {};
}

Result<void> SafeTree::adopt(int from, const std::string& name, const std::string& path) {
  const auto to = place(path, true);
  if (!to) return fail(to.error());
  if (::renameat(from, name.c_str(), to->directory, to->name.c_str()) != 0) {
    return fail(error("move a file to", path, errno));
  }
  return {};
}

Result<void> SafeTree::hand_over(const std::string& path, SafeTree& to) {
  const auto from = place(path, false);
  if (!from) return fail(from.error());
  return to.adopt(from->directory, from->name, path);
}

Result<void> SafeTree::sync() {
  if (::syncfs(handle_.get()) != 0) return fail(error("sync", ".", errno));
  return {};
}

}  // namespace npuprof::transfer
