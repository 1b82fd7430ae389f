#include "transfer/byte_source.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "core/error_codes.hpp"
#include "transfer/file_handle.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::size_t block = 256 * 1024;

tl::unexpected<Error> broken(const std::string& why) {
  return fail({.code = codes::archive_broken,
               .message = "The packed stream is broken: " + why,
               .remedy = "Fetch or pack it again."});
}

class FileSource : public ByteSource {
 public:
  explicit FileSource(int descriptor) : descriptor_(descriptor), buffer_(block) {}

  Result<std::string_view> next() override {
    while (true) {
      const ssize_t got = ::read(descriptor_, buffer_.data(), buffer_.size());
      if (got >= 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(got));
      if (errno != EINTR) return fail(home_error("Reading the archive failed", errno));
    }
  }

 private:
  int descriptor_;
  std::vector<char> buffer_;
};

// What has been looked at already, then the rest.
class RewoundSource : public ByteSource {
 public:
  RewoundSource(std::string head, ByteSource& rest) : head_(std::move(head)), rest_(rest) {}

  Result<std::string_view> next() override {
    if (!head_.empty()) {
      given_ = std::exchange(head_, {});
      return given_;
    }
    return rest_.next();
  }

 private:
  std::string head_;
  std::string given_;
  ByteSource& rest_;
};

// zlib itself rather than libarchive's gzip filter, which does not look at the checksums.
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)), buffer_(block) {
    ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK;
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override {
    if (ready_) ::inflateEnd(&stream_);
  }

  Result<std::string_view> next() override {
    if (!ready_) return broken("no memory to unpack it");
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    while (stream_.avail_out == buffer_.size()) {
      if (stream_.avail_in == 0) {
        auto more = packed_->next();
        if (!more) return more;
        if (more->empty()) {
          if (inside_) return broken("it ends in the middle of a gzip member");
          return std::string_view();
        }
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(more->data()));
        stream_.avail_in = static_cast<uInt>(more->size());
      }
      if (!inside_) {
        if (::inflateReset(&stream_) != Z_OK) return broken("no memory to unpack it");
        inside_ = true;
      }
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        inside_ = false;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        return broken(std::string("gzip: ") + (stream_.msg != nullptr ? stream_.msg : "bad data"));
      }
    }
    return std::string_view(buffer_.data(), buffer_.size() - stream_.avail_out);
  }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool ready_ = false;
  bool inside_ = true;
};

// libarchive's filters, with no format: zstd, xz, bzip2.
class FilterSource : public ByteSource {
 public:
  explicit FilterSource(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)), archive_(::archive_read_new()) {}
  FilterSource(const FilterSource&) = delete;
  FilterSource& operator=(const FilterSource&) = delete;
  ~FilterSource() override { ::archive_read_free(archive_); }

  Result<void> open() {
    ::archive_read_support_filter_zstd(archive_);
    ::archive_read_support_filter_xz(archive_);
    ::archive_read_support_filter_bzip2(archive_);
    ::archive_read_support_format_raw(archive_);
    archive_entry* entry = nullptr;
    if (::archive_read_open(archive_, this, nullptr, &read_packed, nullptr) != ARCHIVE_OK ||
        ::archive_read_next_header(archive_, &entry) != ARCHIVE_OK) {
      return failure();
    }
    return {};
  }

  Result<std::string_view> next() override {
    if (ended_) return std::string_view();
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
      const int code = ::archive_read_data_block(archive_, &bytes, &size, &offset);
      if (code == ARCHIVE_EOF) {
        ended_ = true;
        return std::string_view();
      }
      if (code != ARCHIVE_OK) return failure();
      if (size > 0) return std::string_view(static_cast<const char*>(bytes), size);
    }
  }

 private:
  static la_ssize_t read_packed(archive* handle, void* self, const void** bytes) {
    auto* source = static_cast<FilterSource*>(self);
    auto more = source->packed_->next();
    if (!more) {
      source->error_ = more.error();
      ::archive_set_error(handle, EIO, "the source failed");
      return -1;
    }
    *bytes = more->data();
    return static_cast<la_ssize_t>(more->size());
  }

  tl::unexpected<Error> failure() {
    if (error_) return fail(*error_);
    const char* why = ::archive_error_string(archive_);
    return broken(why != nullptr ? why : "unknown format");
  }

  std::unique_ptr<ByteSource> packed_;
  archive* archive_;
  std::optional<Error> error_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> file_source(int descriptor) {
  return std::make_unique<FileSource>(descriptor);
}

Result<std::unique_ptr<ByteSource>> unpacked_source(ByteSource& packed) {
  std::string head;
  while (head.size() < 6) {
    auto more = packed.next();
    if (!more) return fail(more.error());
    if (more->empty()) break;
    head += *more;
  }
  const bool gzip = head.starts_with("\x1f\x8b");
  const bool filtered = head.starts_with("\x28\xb5\x2f\xfd") || head.starts_with("BZh") ||
                        head.starts_with(std::string_view("\xfd"
                                                          "7zXZ\0",
                                                          6));
  auto rewound = std::make_unique<RewoundSource>(std::move(head), packed);
  if (gzip) return std::make_unique<GzipSource>(std::move(rewound));
  if (!filtered) return rewound;
  auto source = std::make_unique<FilterSource>(std::move(rewound));
  if (auto opened = source->open(); !opened) return fail(opened.error());
  return source;
}

}  // namespace npuprof::transfer
