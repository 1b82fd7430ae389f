#include "transfer/tar_reader.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::transfer {

struct TarReader::State {
  ByteSource& source;
  archive* reader = ::archive_read_new();
  std::optional<Error> error;  // of the source
  bool opened = false;
  std::uint64_t bytes = 0;
  std::uint64_t zeros = 0;  // how many zero bytes the source ended in, as far as it was read

  explicit State(ByteSource& from) : source(from) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::archive_read_free(reader); }

  Result<std::string_view> pull() {
    auto more = source.next();
    if (!more) {
      error = more.error();
      return more;
    }
    bytes += more->size();
    const auto last = more->find_last_not_of('\0');
    zeros = last == std::string_view::npos ? zeros + more->size() : more->size() - last - 1;
    return more;
  }

  static la_ssize_t read(archive* handle, void* self, const void** buffer) {
    auto more = static_cast<State*>(self)->pull();
    if (!more) {
      ::archive_set_error(handle, EIO, "the source failed");
      return -1;
    }
    *buffer = more->data();
    return static_cast<la_ssize_t>(more->size());
  }

  tl::unexpected<Error> broken(const std::string& why) const {
    return fail({.code = codes::archive_broken,
                 .message = "The archive is broken: " + why,
                 .remedy = "Fetch or pack it again."});
  }

  tl::unexpected<Error> failure() const {
    if (error) return fail(*error);
    const char* why = ::archive_error_string(reader);
    return broken(why != nullptr ? clean_host_text(why, 300) : "unknown format");
  }
};

TarReader::TarReader(ByteSource& source) : state_(std::make_unique<State>(source)) {}
TarReader::~TarReader() = default;

std::uint64_t TarReader::bytes_read() const {
  return state_->bytes;
}

Result<std::optional<TarEntry>> TarReader::next() {
  auto& state = *state_;
  if (!state.opened) {
    state.opened = true;
    ::archive_read_support_format_tar(state.reader);
    // Names are bytes here, whatever the locale.
    ::archive_read_set_options(state.reader,
                               "tar:read_concatenated_archives,tar:hdrcharset=BINARY");
    if (::archive_read_open(state.reader, &state, nullptr, &State::read, nullptr) != ARCHIVE_OK) {
      return state.failure();
    }
  }
  archive_entry* entry = nullptr;
  int code = ARCHIVE_RETRY;
  for (int tries = 0; code == ARCHIVE_RETRY && tries < 3; ++tries) {
    code = ::archive_read_next_header(state.reader, &entry);
  }
  if (code == ARCHIVE_EOF) {
    while (true) {  // what follows the last archive, so that the packing's checksums are looked at
      auto rest = state.pull();
      if (!rest) return fail(rest.error());
      if (rest->empty()) break;
    }
    if (state.zeros < 1024) return state.broken("it is cut: the end mark is missing");
    return std::nullopt;
  }
  if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return state.failure();

  TarEntry out;
  const char* path = ::archive_entry_pathname(entry);
  if (path == nullptr) return state.broken("an entry has no readable name");
  out.path = path;
  if (const char* link = ::archive_entry_hardlink(entry); link != nullptr) {
    out.kind = TarEntry::Kind::hard_link;
    out.link = link;
  } else if (const auto type = ::archive_entry_filetype(entry); type == AE_IFREG) {
    out.kind = TarEntry::Kind::regular;
  } else if (type == AE_IFDIR) {
    out.kind = TarEntry::Kind::directory;
  } else if (type == AE_IFLNK) {
    out.kind = TarEntry::Kind::symlink;
    if (const char* symlink = ::archive_entry_symlink(entry); symlink != nullptr)
      out.link = symlink;
  }
  const auto size = ::archive_entry_size(entry);
  if (size < 0) return state.broken("an entry has a negative size");
  out.size = static_cast<std::uint64_t>(size);
  out.modified_s = ::archive_entry_mtime(entry);
  return out;
}

Result<std::optional<TarReader::Block>> TarReader::data() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  while (true) {
    const int code = ::archive_read_data_block(state_->reader, &bytes, &size, &offset);
    if (code == ARCHIVE_EOF) return std::nullopt;
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return state_->failure();
    if (size > 0) {
      return Block{.offset = static_cast<std::uint64_t>(offset),
                   .bytes = {static_cast<const char*>(bytes), size}};
    }
  }
}

}  // namespace npuprof::transfer
