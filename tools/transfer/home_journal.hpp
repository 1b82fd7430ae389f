#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "transfer/file_handle.hpp"

namespace npuprof::transfer {

// What is known of the files of a fetch, kept in <home>/transfer.jsonl: one JSON line a fact, later
// ones override. A torn last line is as if it had not been written. Not thread-safe.
class HomeJournal {
 public:
  struct File {  // verified
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    std::string sha256;
  };
  struct Partial {  // has been begun, under `name`
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    std::string name;
  };
  struct Archive {
    std::string contents;  // SHA-256 over what it holds
    std::uint64_t bytes = 0;
    std::string sha256;
  };

  // Reads the journal; nothing where there is none, or it is of another source or format.
  static std::optional<HomeJournal> load(const std::filesystem::path& path,
                                         const std::string& source, const std::string& remote_dir);
  static HomeJournal fresh(const std::filesystem::path& path, const std::string& source,
                           const std::string& remote_dir);

  // Writes all that is known anew; then facts can be added.
  Result<void> begin();

  Result<void> add(const std::string& path, const File& file);
  Result<void> add(const std::string& path, const Partial& partial);
  Result<void> add(const Archive& archive);

  // The file is no longer part of what is at home.
  Result<void> drop(const std::string& path);

  const std::map<std::string, File>& files() const { return files_; }
  const std::map<std::string, Partial>& partials() const { return partials_; }
  const std::optional<Archive>& archive() const { return archive_; }
  bool empty() const { return files_.empty() && partials_.empty() && !archive_; }
  void forget_partial(const std::string& path) { partials_.erase(path); }
  const std::filesystem::path& path() const { return path_; }

 private:
  HomeJournal() = default;
  Result<void> append(const std::string& line);
  void take(const std::string& line);

  std::filesystem::path path_;
  std::string source_;
  std::string remote_dir_;
  std::map<std::string, File> files_;
  std::map<std::string, Partial> partials_;
  std::optional<Archive> archive_;
  FileHandle file_;
};

}  // namespace npuprof::transfer
