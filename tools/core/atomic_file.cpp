#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error_codes.hpp"

namespace npuprof {
namespace {

Error system_error(const std::string& what, int number) {
  const char* code = number == ENOSPC || number == EDQUOT ? codes::no_space
                     : number == ENOENT                   ? codes::not_found
                     : number == EACCES || number == EPERM || number == EROFS
                         ? codes::permission_denied
                         : codes::io_error;
  return {.code = code,
          .message = what + ": " + std::strerror(number),
          .remedy = number == ENOSPC || number == EDQUOT
                        ? "Free some space on that file system, then try again."
                        : ""};
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(file, content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

void sync_directory(const std::filesystem::path& directory) {
  const int handle =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

}  // namespace

Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          unsigned mode) {
  std::string temporary = path.string() + ".XXXXXX";
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return fail(system_error("can't write beside " + path.string(), errno));
  bool ok = ::fchmod(file, mode) == 0 && write_all(file, content) && ::fsync(file) == 0;
  int number = errno;
  ok = ::close(file) == 0 && ok;
  if (ok && ::rename(temporary.c_str(), path.c_str()) == 0) {
    sync_directory(path.parent_path());
    return {};
  }
  if (ok) number = errno;
  ::unlink(temporary.c_str());
  return fail(system_error("can't write " + path.string(), number));
}

Result<std::string> read_local_file(const std::filesystem::path& path, std::size_t limit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(system_error("can't read " + path.string(), errno));
  std::string content;
  char buffer[64 * 1024];
  ssize_t got = 0;
  while ((got = ::read(file, buffer, sizeof(buffer))) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int number = errno;
      ::close(file);
      return fail(system_error("can't read " + path.string(), number));
    }
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > limit) {
      ::close(file);
      return fail(
          {.code = codes::too_large,
           .message = path.string() + " is larger than " + std::to_string(limit) + " bytes"});
    }
  }
  ::close(file);
  return content;
}

}  // namespace npuprof
