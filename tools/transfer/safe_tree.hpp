#pragma once

#include <filesystem>
#include <string>

#include "core/error.hpp"
#include "transfer/file_handle.hpp"

namespace npuprof::transfer {

// A directory of this machine that files are put below. Every step down is opened by itself without
// following links, so nothing that is swapped meanwhile can lead a write out of it. Paths must have
// passed safe_path. For one thread at a time.
class SafeTree {
 public:
  // An existing directory.
  static Result<SafeTree> open(const std::filesystem::path& root);

  // Creates a new file, and the directories above it: ALREADY_EXISTS if there is anything.
  Result<FileHandle> create(const std::string& path, unsigned mode);
  Result<FileHandle> open_for_reading(const std::string& path);

  // A second name for a file that is already there.
  Result<void> link(const std::string& existing, const std::string& path);

  Result<void> make_directories(const std::string& path);

  // Moves the file `name` of the directory `from` to `path`, replacing a file that is there.
  Result<void> adopt(int from, const std::string& name, const std::string& path);

  // Moves a file to the same path below another tree of the same file system.
  Result<void> hand_over(const std::string& path, SafeTree& to);

  // Makes all that was written so far durable, names included.
  Result<void> sync();

  const std::filesystem::path& root() const { return root_; }

 private:
  struct Place {
    int directory;  // valid until the next call
    std::string name;
  };
  SafeTree(std::filesystem::path root, FileHandle handle);
  Result<Place> place(const std::string& path, bool make);
  Error error(const std::string& what, const std::string& path, int number) const;

  std::filesystem::path root_;
  FileHandle handle_;
  std::string cached_path_;  // of the directory used last
  FileHandle cached_;
};

}  // namespace npuprof::transfer
