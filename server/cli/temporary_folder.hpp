#pragma once

#include <filesystem>

namespace npuprof::cli {

// A new folder of this user alone under $TMPDIR (or /tmp), removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws std::filesystem::filesystem_error where none can be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace npuprof::cli
