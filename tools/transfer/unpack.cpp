#include "transfer/unpack.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

#include "core/error_codes.hpp"
#include "transfer/byte_source.hpp"
#include "transfer/incoming_file.hpp"
#include "transfer/safe_path.hpp"
#include "transfer/safe_tree.hpp"
#include "transfer/tar_reader.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::uint64_t ratio_free_bytes = 64ULL << 20;

tl::unexpected<Error> unsafe(const std::string& why) {
  return fail({.code = codes::archive_unsafe,
               .message = why + "; nothing was unpacked",
               .remedy = "Don't use this archive unless you know who made it and why."});
}

// ARCHIVE_UNSAFE where the symbolic link `path` leads out of the archive.
Result<void> stays_inside(const std::string& path, const std::string& link) {
  std::string joined = link;
  if (!link.starts_with('/')) {
    const auto slash = path.rfind('/');
    if (slash != std::string::npos) joined = path.substr(0, slash + 1) + link;
  }
  if (joined.starts_with('/')) return unsafe("The link " + shown_path(path) + " leads out");
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= joined.size();) {
    const auto end = std::min(joined.find('/', begin), joined.size());
    std::string part = joined.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(std::move(part));
    } else if (parts.empty()) {
      return unsafe("The link " + shown_path(path) + " leads out");
    } else {
      parts.pop_back();
    }
  }
  return {};
}

class Unpacking {
 public:
  Unpacking(int archive, SafeTree tree, const UnpackLimits& limits, const std::stop_token& stop)
      : packed_(file_source(archive)), tree_(std::move(tree)), limits_(limits), stop_(stop) {
    struct stat info {};
    if (::fstat(archive, &info) == 0) packed_bytes_ = static_cast<double>(info.st_size);
  }

  Result<Unpacked> run() {
    auto plain = unpacked_source(*packed_);
    if (!plain) return fail(plain.error());
    TarReader reader(**plain);
    while (true) {
      const auto entry = reader.next();
      if (!entry) return fail(entry.error());
      if (!*entry) break;
      if (auto taken = take(reader, **entry); !taken) return fail(taken.error());
    }
    if (auto synced = tree_.sync(); !synced) return fail(synced.error());
    Unpacked out{.bytes = bytes_, .files = {}, .left_out = std::move(left_out_)};
    for (auto& [path, file] : files_) out.files.push_back(std::move(file));
    return out;
  }

 private:
  Result<void> take(TarReader& reader, const TarEntry& entry) {
    if (++entries_ > limits_.max_files) {
      return unsafe("The archive holds more than " + std::to_string(limits_.max_files) + " files");
    }
    if (entry.kind == TarEntry::Kind::directory &&
        entry.path.find_first_not_of("./") == std::string::npos &&
        entry.path.find("..") == std::string::npos && !entry.path.starts_with('/')) {
      return {};  // "./"
    }
    const auto path = safe_path(entry.path, limits_.max_depth);
    if (!path) return fail(path.error());
    switch (entry.kind) {
      case TarEntry::Kind::directory:
        return tree_.make_directories(*path);
      case TarEntry::Kind::regular:
        return regular(reader, entry, *path);
      case TarEntry::Kind::hard_link:
        return hard_link(entry, *path);
      case TarEntry::Kind::symlink: {
        if (auto inside = stays_inside(*path, entry.link); !inside) return inside;
        left_out_.push_back({*path, "a symbolic link to " + shown_path(entry.link)});
        return {};
      }
      case TarEntry::Kind::other:
        break;
    }
    return unsafe("The archive holds a device, FIFO or the like: " + shown_path(*path));
  }

  Result<void> regular(TarReader& reader, const TarEntry& entry, const std::string& path) {
    if (files_.contains(path)) return unsafe("Two files of one name: " + shown_path(path));
    if (auto fits = within_limits(entry.size); !fits) return fits;
    auto handle = tree_.create(path, 0644);
    if (!handle) return clash(handle.error(), path);
    IncomingFile file(std::move(*handle), path);
    while (true) {
      if (stop_.stop_requested()) {
        return fail({.code = codes::cancelled, .message = "Unpacking was cancelled"});
      }
      const auto block = reader.data();
      if (!block) return fail(block.error());
      if (!*block) break;
      const auto reached = (*block)->offset + (*block)->bytes.size();
      if (reached > entry.size) return unsafe(shown_path(path) + " is longer than it says");
      if (auto fits = within_limits(reached); !fits) return fits;
      if (auto wrote = file.write((*block)->offset, (*block)->bytes); !wrote) return wrote;
    }
    if (auto filled = file.extend(entry.size); !filled) return filled;
    const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                               {.tv_sec = entry.modified_s, .tv_nsec = 0}};
    ::futimens(file.file().get(), times);
    bytes_ += entry.size;
    files_[path] = {.path = path,
                    .bytes = entry.size,
                    .sha256 = file.sha256(),
                    .modified_ns = entry.modified_s * 1'000'000'000};
    return {};
  }

  Result<void> hard_link(const TarEntry& entry, const std::string& path) {
    const auto target = safe_path(entry.link, limits_.max_depth);
    if (!target) return fail(target.error());
    const auto known = files_.find(*target);
    if (known == files_.end()) {
      return unsafe("The hard link " + shown_path(path) + " leads to no file of the archive");
    }
    if (*target == path) return {};
    if (auto fits = within_limits(known->second.bytes); !fits) return fits;
    if (auto linked = tree_.link(*target, path); !linked) return clash(linked.error(), path);
    bytes_ += known->second.bytes;
    ArtifactFile file = known->second;
    file.path = path;
    files_[path] = std::move(file);
    return {};
  }

  Result<void> clash(const Error& error, const std::string& path) const {
    if (error.code == codes::already_exists) {
      return unsafe("Two entries of one name: " + shown_path(path));
    }
    return fail(error);
  }

  // Of the file that is coming, `size` bytes are or will be there.
  Result<void> within_limits(std::uint64_t size) const {
    if (size > limits_.max_bytes || bytes_ > limits_.max_bytes - size) {
      return unsafe("The archive unpacks to more than " + std::to_string(limits_.max_bytes) +
                    " bytes");
    }
    const auto total = static_cast<double>(bytes_ + size);
    if (bytes_ + size > ratio_free_bytes && total > limits_.max_ratio * packed_bytes_) {
      return unsafe("The archive unpacks to over " +
                    std::to_string(static_cast<int>(limits_.max_ratio)) + " times its own size");
    }
    return {};
  }

  std::unique_ptr<ByteSource> packed_;
  SafeTree tree_;
  const UnpackLimits& limits_;
  const std::stop_token& stop_;
  double packed_bytes_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  std::map<std::string, ArtifactFile> files_;
  std::vector<LeftOut> left_out_;
};

}  // namespace

Result<Unpacked> unpack(const std::filesystem::path& archive,
                        const std::filesystem::path& directory, const UnpackLimits& limits,
                        const std::stop_token& stop) {
  const FileHandle file(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(home_error("Can't read " + archive.string(), errno));
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(directory, ignored))) {
    return fail({.code = codes::already_exists,
                 .message = directory.string() + " exists already; nothing was unpacked"});
  }
  std::string temporary = directory.string() + ".XXXXXX";
  if (::mkdtemp(temporary.data()) == nullptr) {
    return fail(home_error("Can't make a directory beside " + directory.string(), errno));
  }
  auto tree = SafeTree::open(temporary);
  Result<Unpacked> out =
      tree ? Unpacking(file.get(), std::move(*tree), limits, stop).run() : fail(tree.error());
  if (out && ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, directory.c_str(),
                         RENAME_NOREPLACE) != 0) {
    out = fail(home_error("Can't make " + directory.string(), errno));
  }
  if (!out) std::filesystem::remove_all(temporary, ignored);
  return out;
}

}  // namespace npuprof::transfer
