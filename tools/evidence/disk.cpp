#include "evidence/disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace npuprof::evidence {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t piece_bytes = std::size_t{256} << 10;
constexpr int max_depth = 32;
constexpr std::size_t max_files = 200'000;

class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

bool is_database(const fs::path& path) {
  return path.extension() == ".db";
}

// False where a stop ended it.
bool feed_file(const fs::path& path, const std::string& name, Collection& collection,
               const std::stop_token& stop) {
  struct stat status {};
  const OpenFile file(path);
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0) {
    collection.open(name, 0);  // known, and never finished
    return true;
  }
  if (!S_ISREG(status.st_mode)) return true;
  const std::int64_t modified =
      std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  const auto reader = collection.open(name, static_cast<std::uint64_t>(status.st_size), modified);
  std::string piece(piece_bytes, '\0');
  for (;;) {
    if (stop.stop_requested()) return false;
    const ssize_t got = ::read(file.descriptor(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return true;
    if (got == 0) break;
    reader->feed(std::string_view(piece.data(), static_cast<std::size_t>(got)));
  }
  reader->finish();
  if (is_database(path)) collection.add_database(name, path);
  return true;
}

}  // namespace

bool collect_from_disk(const fs::path& root, Collection& collection, const std::stop_token& stop) {
  std::error_code error;
  if (fs::is_regular_file(root, error)) {
    return feed_file(root, root.filename().string(), collection, stop);
  }
  if (!fs::is_directory(root, error)) return false;
  std::vector<fs::path> files;
  bool complete = true;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (stop.stop_requested()) return false;
    std::error_code ignored;
    const std::string name = at->path().lexically_relative(root).generic_string();
    if (at->is_symlink(ignored)) continue;
    if (at->is_directory(ignored)) {
      if (at.depth() >= max_depth) at.disable_recursion_pending();
      collection.add_folder(name);
    } else if (at->is_regular_file(ignored)) {
      if (files.size() >= max_files) {
        complete = false;
        break;
      }
      files.push_back(at->path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string name = file.lexically_relative(root).generic_string();
    if (!feed_file(file, name, collection, stop)) return false;
  }
  return complete && !error;
}

}  // namespace npuprof::evidence
