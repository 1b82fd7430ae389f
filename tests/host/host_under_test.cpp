#include "host_under_test.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "fakes/scratch_directory.hpp"
#include "fakes/test_sshd.hpp"
#include "host/local_host.hpp"
#include "host/ssh_host.hpp"
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

struct Ssh : HostUnderTest {
  std::unique_ptr<fakes::TestSshd> sshd;
  std::unique_ptr<SmallFileSystem> small;

  Ssh() {
    missing = fakes::TestSshd::missing();
    if (!missing.empty()) return;
    sshd = fakes::TestSshd::start();
    small = std::make_unique<SmallFileSystem>(sshd->directory() / "full");
    host = std::make_unique<SshHost>(sshd->target());
    directory = sshd->target().workspace;
    full_directory = small->path();
  }
  ~Ssh() override {
    host.reset();
    small.reset();
  }
};

}  // namespace

std::vector<HostKind> host_kinds() {
  const bool is_root = ::geteuid() == 0;
  return {{.name = "local", .is_root = is_root}, {.name = "ssh", .is_root = is_root}};
}

std::unique_ptr<HostUnderTest> make_host(const HostKind& kind) {
  std::unique_ptr<HostUnderTest> made;
  if (kind.name == "local") made = std::make_unique<Local>();
  if (kind.name == "ssh") made = std::make_unique<Ssh>();
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
