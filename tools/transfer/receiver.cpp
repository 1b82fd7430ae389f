#include "transfer/receiver.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/error_codes.hpp"
#include "transfer/safe_path.hpp"
#include "transfer/tar_reader.hpp"

namespace npuprof::transfer {

Receiver::Receiver(int holding, std::uint64_t first, std::uint64_t resume_from, Hooks hooks,
                   std::atomic<std::uint64_t>& bytes)
    : holding_(holding),
      number_(first),
      resume_from_(resume_from),
      hooks_(std::move(hooks)),
      bytes_(bytes) {}

Result<void> Receiver::finish(const RemoteFile& remote, IncomingFile& file,
                              const std::string& name) {
  const timespec modified{.tv_sec = remote.modified_ns / 1'000'000'000,
                          .tv_nsec = remote.modified_ns % 1'000'000'000};
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, modified};
  if (::futimens(file.file().get(), times) != 0 || ::fchmod(file.file().get(), 0444) != 0) {
    return fail(home_error("Can't finish " + shown_path(remote.path), errno));
  }
  hooks_.arrived(remote, name, file.sha256());
  return {};
}

Result<void> Receiver::take_archive(ByteSource& packed,
                                    const std::map<std::string, RemoteFile>& wanted) {
  auto plain = unpacked_source(packed);
  if (!plain) return fail(plain.error());
  TarReader reader(**plain);
  while (true) {
    const auto entry = reader.next();
    if (!entry) return fail(entry.error());
    if (!*entry) return {};
    std::string_view path = (*entry)->path;
    if (path.starts_with("./")) path.remove_prefix(2);
    const auto found = wanted.find(std::string(path));
    if (found == wanted.end() || (*entry)->kind != TarEntry::Kind::regular ||
        (*entry)->size != found->second.size) {
      continue;
    }
    const RemoteFile& remote = found->second;
    const std::string name = std::to_string(++number_);
    FileHandle handle(
        ::openat(holding_, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!handle) return fail(home_error("Can't make a file for " + shown_path(path), errno));
    const bool resumable = remote.size >= resume_from_;
    if (resumable) {
      if (auto begun = hooks_.begun(remote, name); !begun) return begun;
    }
    IncomingFile file(std::move(handle), remote.path);
    auto took = [&]() -> Result<void> {
      while (true) {
        const auto block = reader.data();
        if (!block) return fail(block.error());
        if (!*block) break;
        if (auto wrote = file.write((*block)->offset, (*block)->bytes); !wrote) return wrote;
        bytes_ += (*block)->bytes.size();
      }
      if (auto filled = file.extend(remote.size); !filled) return filled;
      return finish(remote, file, name);
    }();
    if (took) continue;
    if (!resumable || took.error().code == codes::no_space) {
      ::unlinkat(holding_, name.c_str(), 0);
    }
    return took;
  }
}

Result<void> Receiver::take_rest(ByteSource& packed, const RemoteFile& remote, IncomingFile& file,
                                 const std::string& name) {
  auto plain = unpacked_source(packed);
  if (!plain) return fail(plain.error());
  while (true) {
    const auto bytes = (*plain)->next();
    if (!bytes) return fail(bytes.error());
    if (bytes->empty()) break;
    if (file.size() + bytes->size() > remote.size) {
      ::unlinkat(holding_, name.c_str(), 0);
      return {};  // it has grown: the next look at the host will tell
    }
    if (auto wrote = file.write(file.size(), *bytes); !wrote) return wrote;
    bytes_ += bytes->size();
  }
  if (file.size() != remote.size) {
    ::unlinkat(holding_, name.c_str(), 0);
    return {};
  }
  return finish(remote, file, name);
}

}  // namespace npuprof::transfer
