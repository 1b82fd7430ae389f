#include "transfer/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <thread>

#include "core/error_codes.hpp"
#include "core/sha256.hpp"
#include "transfer/file_handle.hpp"
#include "transfer/gzip_writer.hpp"
#include "transfer/safe_path.hpp"
#include "transfer/safe_tree.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::time_t fixed_time = 315'532'800;  // 1980-01-01: no tool calls it implausible
constexpr std::size_t block = 256 * 1024;

// The file under its temporary name; gone unless it was put in its place.
class NewFile {
 public:
  static Result<NewFile> open(const std::filesystem::path& path) {
    NewFile file;
    file.path_ = path;
    file.temporary_ = path.string() + ".XXXXXX";
    file.handle_ = FileHandle(::mkostemp(file.temporary_.data(), O_CLOEXEC));
    if (!file.handle_) return fail(home_error("Can't write beside " + path.string(), errno));
    return file;
  }
  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (handle_) ::unlink(temporary_.c_str());
  }

  Result<void> write(std::string_view bytes) {
    sum_.update(bytes);
    size_ += bytes.size();
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(handle_.get(), bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return fail(home_error("Can't write " + path_.string(), errno));
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return {};
  }

  Result<PackedArchive> keep() {
    if (::fchmod(handle_.get(), 0444) != 0 || ::fsync(handle_.get()) != 0 ||
        ::rename(temporary_.c_str(), path_.c_str()) != 0) {
      return fail(home_error("Can't write " + path_.string(), errno));
    }
    handle_ = {};
    return PackedArchive{.bytes = size_, .sha256 = sum_.hex()};
  }

 private:
  NewFile() = default;
  std::filesystem::path path_;
  std::string temporary_;
  FileHandle handle_;
  Sha256 sum_;
  std::uint64_t size_ = 0;
};

// libarchive's tar writer in front of our gzip.
class TarWriter {
 public:
  explicit TarWriter(GzipWriter& gzip) : gzip_(gzip), archive_(::archive_write_new()) {}
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;
  ~TarWriter() { ::archive_write_free(archive_); }

  Result<void> open() {
    // GNU tar's own format: names are bytes, of any length, and sizes have no bound.
    ::archive_write_set_format_gnutar(archive_);
    ::archive_write_set_options(archive_, "hdrcharset=BINARY");
    ::archive_write_set_bytes_per_block(archive_, 0);
    return checked(::archive_write_open(archive_, this, nullptr, &forward, nullptr));
  }

  Result<void> header(const std::string& path, std::uint64_t size) {
    const std::unique_ptr<archive_entry, decltype(&::archive_entry_free)> entry(
        ::archive_entry_new(), &::archive_entry_free);
    ::archive_entry_copy_pathname(entry.get(), path.c_str());
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), 0644);
    ::archive_entry_set_mtime(entry.get(), fixed_time, 0);
    return checked(::archive_write_header(archive_, entry.get()));
  }

  Result<void> data(std::string_view bytes) {
    return checked(::archive_write_data(archive_, bytes.data(), bytes.size()) >= 0 ? ARCHIVE_OK
                                                                                   : ARCHIVE_FATAL);
  }

  Result<void> close() {
    if (auto closed = checked(::archive_write_close(archive_)); !closed) return closed;
    return gzip_.finish();
  }

 private:
  static la_ssize_t forward(archive* handle, void* self, const void* bytes, std::size_t size) {
    auto* writer = static_cast<TarWriter*>(self);
    auto wrote = writer->gzip_.write({static_cast<const char*>(bytes), size});
    if (wrote) return static_cast<la_ssize_t>(size);
    writer->error_ = wrote.error();
    ::archive_set_error(handle, EIO, "the file could not be written");
    return -1;
  }

  Result<void> checked(int code) {
    if (code == ARCHIVE_OK || code == ARCHIVE_WARN) return {};
    if (error_) return fail(*error_);
    const char* why = ::archive_error_string(archive_);
    return fail({.code = codes::io_error,
                 .message = std::string("Packing failed: ") + (why != nullptr ? why : "unknown")});
  }

  GzipWriter& gzip_;
  archive* archive_;
  std::optional<Error> error_;
};

Result<void> pack_file(SafeTree& tree, const ArtifactFile& file, const std::string& prefix,
                       TarWriter& tar, std::string& buffer, const std::stop_token& stop) {
  const auto handle = tree.open_for_reading(file.path);
  if (!handle) return fail(handle.error());
  if (auto wrote = tar.header(prefix + "/" + file.path, file.bytes); !wrote) return wrote;
  Sha256 sum;
  std::uint64_t size = 0;
  while (true) {
    if (stop.stop_requested()) {
      return fail({.code = codes::cancelled, .message = "Packing the archive was cancelled"});
    }
    const ssize_t got = ::read(handle->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(home_error("Can't read " + shown_path(file.path), errno));
    if (got == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    sum.update(bytes);
    size += bytes.size();
    if (size > file.bytes) break;
    if (auto wrote = tar.data(bytes); !wrote) return wrote;
  }
  if (size != file.bytes || sum.hex() != file.sha256) {
    return fail({.code = codes::checksum_mismatch,
                 .message = shown_path(file.path) +
                            " is no longer what was verified; no archive was made of it",
                 .remedy = "Fetch the artifact again: what was altered is fetched anew."});
  }
  return {};
}

}  // namespace

Result<PackedArchive> pack_archive(const std::filesystem::path& directory,
                                   std::vector<ArtifactFile> files, const std::string& prefix,
                                   const std::filesystem::path& archive, unsigned threads,
                                   const std::function<void(std::uint64_t)>& done,
                                   const std::stop_token& stop) {
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  auto tree = SafeTree::open(directory);
  if (!tree) return fail(tree.error());
  auto out = NewFile::open(archive);
  if (!out) return fail(out.error());
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  GzipWriter gzip(threads, [&](std::string_view bytes) { return out->write(bytes); });
  TarWriter tar(gzip);
  if (auto opened = tar.open(); !opened) return fail(opened.error());
  std::string buffer(block, '\0');
  std::uint64_t packed = 0;
  for (const auto& file : files) {
    if (auto taken = pack_file(*tree, file, prefix, tar, buffer, stop); !taken) {
      return fail(taken.error());
    }
    packed += file.bytes;
    if (done) done(packed);
  }
  if (auto closed = tar.close(); !closed) return fail(closed.error());
  return out->keep();
}

}  // namespace npuprof::transfer
