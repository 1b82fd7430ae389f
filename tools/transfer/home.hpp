#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "transfer/artifact.hpp"
#include "transfer/home_journal.hpp"
#include "transfer/remote_manifest.hpp"
#include "transfer/safe_tree.hpp"

namespace npuprof::transfer {

// The place a fetch brings files to: profile_l1/, the temporary names in profile_l1.partial/, the
// archive and the journal.
class Home {
 public:
  // Opens or makes it. ALREADY_EXISTS where `overwrite` is not given and something of another
  // source is there.
  static Result<std::unique_ptr<Home>> open(const std::filesystem::path& home,
                                            const std::string& source,
                                            const std::string& remote_dir, bool overwrite);
  ~Home();  // removes temporary files that no later call could use, and what stayed empty
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  // What of `file` is verified at home: hashed anew the first time it is asked for.
  std::optional<ArtifactFile> verified(const RemoteFile& file);

  // The file is in its place. May be called beside note_begun from another thread.
  Result<void> keep(const RemoteFile& file, const std::string& sha256);

  // The file is being written under the temporary name `name`, and is worth going on with.
  Result<void> note_begun(const RemoteFile& file, const std::string& name);

  // How many bytes of `file` an earlier call left, in whole blocks; 0: none.
  std::uint64_t begun_bytes(const RemoteFile& file) const;
  Result<FileHandle> reopen_begun(const RemoteFile& file) const;
  std::string begun_name(const RemoteFile& file) const;
  void forget_begun(const std::string& path);

  // Moves a verified file that the host no longer has to profile_l1.gone/, so that what lies in
  // profile_l1/ is what the host has.
  Result<void> set_aside(const std::string& path);

  Result<void> remove_directory();  // profile_l1/ itself

  SafeTree& tree() { return *tree_; }
  HomeJournal& journal() { return journal_; }
  int holding() const { return holding_.get(); }
  std::uint64_t first_free_number() const;
  std::uint64_t free_bytes() const;  // of the file system

  std::filesystem::path directory() const { return home_ / "profile_l1"; }
  std::filesystem::path archive_path() const { return home_ / "profile_l1.tar.gz"; }

 private:
  Home(std::filesystem::path home, HomeJournal journal);
  std::filesystem::path holding_path() const { return home_ / "profile_l1.partial"; }
  void remove_useless();

  std::filesystem::path home_;
  HomeJournal journal_;
  std::optional<SafeTree> tree_;
  FileHandle holding_;
  std::mutex noting_;
  std::map<std::string, ArtifactFile> checked_;
};

}  // namespace npuprof::transfer
