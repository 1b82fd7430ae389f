#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>
#include <string_view>

// Builds tar archives in memory, hostile ones too.
class TarBytes {
 public:
  explicit TarBytes(bool gzip = true) : archive_(archive_write_new()), bytes_(64 << 20, '\0') {
    if (gzip) archive_write_add_filter_gzip(archive_);
    archive_write_set_format_gnutar(archive_);
    archive_write_open_memory(archive_, bytes_.data(), bytes_.size(), &used_);
  }
  TarBytes(const TarBytes&) = delete;
  TarBytes& operator=(const TarBytes&) = delete;
  ~TarBytes() { archive_write_free(archive_); }

  TarBytes& file(const std::string& path, std::string_view content, unsigned mode = 0644) {
    return add(path, AE_IFREG, content, "", "", mode);
  }
  TarBytes& symlink(const std::string& path, const std::string& target) {
    return add(path, AE_IFLNK, "", target, "", 0777);
  }
  TarBytes& hard_link(const std::string& path, const std::string& target) {
    return add(path, AE_IFREG, "", "", target, 0644);
  }
  TarBytes& special(const std::string& path, unsigned type) {
    return add(path, type, "", "", "", 0644);
  }
  TarBytes& directory(const std::string& path) { return add(path, AE_IFDIR, "", "", "", 0755); }

  std::string done() {
    archive_write_close(archive_);
    return bytes_.substr(0, used_);
  }

 private:
  TarBytes& add(const std::string& path, unsigned type, std::string_view content,
                const std::string& symlink_to, const std::string& link_to, unsigned mode) {
    archive_entry* entry = archive_entry_new();
    archive_entry_copy_pathname(entry, path.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, static_cast<mode_t>(mode));
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_entry_set_mtime(entry, 1'700'000'000, 0);
    if (!symlink_to.empty()) archive_entry_copy_symlink(entry, symlink_to.c_str());
    if (!link_to.empty()) archive_entry_copy_hardlink(entry, link_to.c_str());
    archive_write_header(archive_, entry);
    if (!content.empty()) archive_write_data(archive_, content.data(), content.size());
    archive_entry_free(entry);
    return *this;
  }

  archive* archive_;
  std::string bytes_;
  std::size_t used_ = 0;
};
