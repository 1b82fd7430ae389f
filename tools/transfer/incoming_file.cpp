#include "transfer/incoming_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "core/error_codes.hpp"
#include "transfer/safe_path.hpp"

namespace npuprof::transfer {
namespace {

// The disk works while the rest arrives, so that the sync at the end is short.
constexpr std::uint64_t write_out_every = 8 << 20;

}  // namespace

IncomingFile::IncomingFile(FileHandle file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {}

Result<std::string> IncomingFile::take_over(std::uint64_t bytes) {
  Sha256 beginning;
  std::string buffer(256 * 1024, '\0');
  while (size_ < bytes) {
    const ssize_t got =
        ::pread(file_.get(), buffer.data(), std::min<std::uint64_t>(buffer.size(), bytes - size_),
                static_cast<off_t>(size_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(home_error("Can't read " + shown_path(name_), got < 0 ? errno : EIO));
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
    beginning.update(piece);
    sum_.update(piece);
    size_ += piece.size();
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) {
    return fail(home_error("Can't write " + shown_path(name_), errno));
  }
  return beginning.hex();
}

Result<void> IncomingFile::write(std::uint64_t offset, std::string_view bytes) {
  if (offset < size_) {
    return fail({.code = codes::archive_broken,
                 .message = "The pieces of " + shown_path(name_) + " overlap"});
  }
  if (offset > size_) {
    if (auto filled = extend(offset); !filled) return filled;
  }
  sum_.update(bytes);
  size_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t wrote =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_ - bytes.size()));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail(home_error("Can't write " + shown_path(name_), errno));
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (size_ - on_its_way_ >= write_out_every) {
    ::sync_file_range(file_.get(), static_cast<off_t>(on_its_way_),
                      static_cast<off_t>(size_ - on_its_way_), SYNC_FILE_RANGE_WRITE);
    on_its_way_ = size_;
  }
  return {};
}

Result<void> IncomingFile::extend(std::uint64_t size) {
  static const std::string zeros(256 * 1024, '\0');
  while (size_ < size) {
    const auto count = std::min<std::uint64_t>(zeros.size(), size - size_);
    sum_.update(std::string_view(zeros).substr(0, count));
    size_ += count;
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    return fail(home_error("Can't write " + shown_path(name_), errno));
  }
  return {};
}

}  // namespace npuprof::transfer
