#include "run/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error_codes.hpp"

namespace npuprof::run {
namespace {

Result<int> open_lock(const std::filesystem::path& file) {
  const int handle = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (handle >= 0) return handle;
  return fail({.code = errno == ENOENT ? codes::not_found : codes::io_error,
               .message = "can't lock " + file.string() + ": " + std::strerror(errno)});
}

bool lock(int handle, int operation) {
  int result = 0;
  do {
    result = ::flock(handle, operation);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

Result<std::optional<RunLock>> RunLock::try_take(const std::filesystem::path& file) {
  auto handle = open_lock(file);
  if (!handle) return fail(handle.error());
  RunLock taken(*handle);
  if (lock(*handle, LOCK_EX | LOCK_NB)) return std::optional<RunLock>(std::move(taken));
  return std::optional<RunLock>();
}

Result<RunLock> RunLock::take(const std::filesystem::path& file) {
  auto handle = open_lock(file);
  if (!handle) return fail(handle.error());
  RunLock taken(*handle);
  if (lock(*handle, LOCK_EX)) return taken;
  return fail({.code = codes::io_error,
               .message = "can't lock " + file.string() + ": " + std::strerror(errno)});
}

RunLock::RunLock(RunLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

RunLock::~RunLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace npuprof::run
