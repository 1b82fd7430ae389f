#include "host_under_test.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "fakes/scratch_directory.hpp"
#include "host/local_host.hpp"
#include "host/token.hpp"

namespace npuprof {
namespace {

// A small file system, where this user may mount one.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(const std::filesystem::path& at) : at_(at) {
    std::filesystem::create_directory(at_);
    mounted_ = ::mount("none", at_.c_str(), "tmpfs", 0, "size=1m,mode=0777") == 0;
  }
  ~SmallFileSystem() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  std::string path() const { return mounted_ ? at_.string() : std::string(); }

 private:
  std::filesystem::path at_;
  bool mounted_ = false;
};

struct Local : HostUnderTest {
  fakes::ScratchDirectory scratch;
  SmallFileSystem small{scratch / "full"};

  Local() {
    host = std::make_unique<LocalHost>();
    directory = scratch / "work";
    std::filesystem::create_directory(directory);
    full_directory = small.path();
  }
};

}  // namespace

std::vector<HostKind> host_kinds() {
  return {{.name = "local", .is_root = ::geteuid() == 0}};
}

std::unique_ptr<HostUnderTest> make_host(const HostKind&) {
  auto made = std::make_unique<Local>();
  made->token = random_token();
  return made;
}

int count_processes(const std::string& text) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find(text) != std::string::npos) ++count;
  }
  return count;
}

}  // namespace npuprof
