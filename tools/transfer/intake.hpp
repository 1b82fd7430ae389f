#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "transfer/remote_manifest.hpp"
#include "transfer/safe_tree.hpp"

namespace npuprof::transfer {

// Brings together what arrived and what the host says its SHA-256 is, and puts the files for which
// both agree in their place: all that are ready are synced at once, renamed, and reported, on a
// thread of its own. What disagrees is removed.
class Intake {
 public:
  // Called on the intake's thread, after the file is in its place.
  using Verified = std::function<Result<void>(const RemoteFile&, const std::string& sha256)>;

  // `tree` is where files go and is used by the intake's thread alone while it lives; `holding` is
  // the open directory of the temporary names.
  // `failed` is told, on the intake's thread, that nothing more can be put in its place.
  Intake(SafeTree& tree, int holding, Verified verified, std::function<void()> failed);
  ~Intake();
  Intake(const Intake&) = delete;
  Intake& operator=(const Intake&) = delete;

  // A file that is whole under the temporary name `name`. Thread-safe, as is `hashed`.
  void arrived(const RemoteFile& file, const std::string& name, const std::string& sha256);
  void hashed(const std::string& path, const std::string& sha256);

  // Paths that arrived and wait for the host's sum.
  std::vector<std::string> waiting() const;

  // Puts what is ready in its place, removes what still waits, and ends. NO_SPACE and the like.
  Result<void> finish();

  // Paths whose sums differ; after finish.
  const std::set<std::string>& mismatched() const { return mismatched_; }

 private:
  struct File {
    std::optional<RemoteFile> remote;
    std::string name;
    std::string sum;
    std::string remote_sum;
  };
  void work();
  void move_if_ready(const std::string& path);
  Result<void> sync(const std::vector<File>& files);
  Result<void> place(const std::vector<File>& files);

  SafeTree& tree_;
  const int holding_;
  const Verified verified_;
  const std::function<void()> failed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, File> waiting_;
  std::vector<File> ready_;
  bool finishing_ = false;
  std::optional<Error> error_;
  std::set<std::string> mismatched_;
  std::thread thread_;
};

}  // namespace npuprof::transfer
