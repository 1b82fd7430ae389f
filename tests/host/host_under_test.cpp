#include "host_under_test.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "fakes/scratch_directory.hpp"
#include "fakes/test_sshd.hpp"
#include "host/container_host.hpp"
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
  fakes::ScratchDirectory scratch;
  SmallFileSystem small{scratch / "full"};  // before the server, whose view of mounts is its own
  std::unique_ptr<fakes::TestSshd> sshd;

  explicit Ssh(bool own_account) {
    missing = own_account ? fakes::TestSshd::missing_account() : fakes::TestSshd::missing();
    if (!missing.empty()) return;
    std::filesystem::permissions(scratch.path(), std::filesystem::perms(0755));
    fakes::TestSshd::Options options;
    if (own_account) options.account = fakes::TestSshd::Account{};
    sshd = fakes::TestSshd::start(options);
    host = std::make_unique<SshHost>(sshd->target());
    directory = sshd->target().workspace;
    full_directory = small.path();
  }
  ~Ssh() override { host.reset(); }
};

// A container in all that matters here: a file tree (its own /work and /tmp) and a process tree of
// its own, and a `docker` whose client's end ends nothing inside.
class StandInContainer {
 public:
  explicit StandInContainer(const std::filesystem::path& at) : at_(at) {
    for (const char* const name : {"root", "work", "bin"}) {
      std::filesystem::create_directories(at_ / name);
    }
    write_script("engine.sh", container_script);
    write_script("bin/docker", docker_script);
    const std::string root = at_;
    Command command{.argv = {"setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid",
                             "--fork", "--kill-child", at_ / "engine.sh", root},
                    .timeout = std::chrono::hours(1)};
    auto started = here_.start(command, {});
    if (!started) throw std::runtime_error(started.error().message);
    process_ = std::move(*started);
    auto event = process_->next(std::chrono::steady_clock::now() + std::chrono::seconds(20), {});
    if (!event || event->bytes != "up\n") {
      throw std::runtime_error("no container: " + (event ? event->bytes : event.error().message));
    }
  }

  static std::string missing() {
    if (::geteuid() != 0) return "a container needs root";
    LocalHost here;
    const auto tried = here.capture(
        {.argv = {"unshare", "--mount", "--pid", "--fork", "mount", "--make-rprivate", "/"}});
    return tried && tried->exit.ok() ? "" : "no mount and process namespaces can be made here";
  }
  std::filesystem::path bin() const { return at_ / "bin"; }
  std::filesystem::path work() const { return at_ / "work"; }

 private:
  void write_script(const std::string& name, const std::string& text) const {
    std::ofstream(at_ / name) << text;
    std::filesystem::permissions(at_ / name, std::filesystem::perms(0755));
  }

  static constexpr char container_script[] = R"sh(#!/bin/sh
# $1: the folder of the container. Runs as its process 1.
set -e
mount --make-rprivate /
mount -t tmpfs none "$1/root"
for d in usr etc dev; do mkdir "$1/root/$d"; mount --rbind "/$d" "$1/root/$d"; done
for d in bin sbin lib lib64; do [ -e "/$d" ] && ln -s "usr/$d" "$1/root/$d"; done
mkdir "$1/root/proc" "$1/root/work" "$1/root/tmp" "$1/root/root" "$1/root/full"
mount -t proc proc "$1/root/proc"
mount --bind "$1/work" "$1/root/work"
mount -t tmpfs -o size=1m none "$1/root/full"
exec chroot "$1/root" /bin/sh -c 'trap : CHLD; echo up; while :; do sleep 1000 & wait $!; done'
)sh";

  // The far end of `docker exec` is a child of the daemon: it inherits nothing of the client, and
  // outlives it.
  static constexpr char docker_script[] = R"sh(#!/bin/sh
base=$(dirname "$(dirname "$(readlink -f "$0")")")
[ "$1" = exec ] || { echo "unknown docker command: $1" >&2; exit 1; }
shift
while :; do
  case $1 in
    -i) shift ;;
    -u) shift 2 ;;
    *) break ;;
  esac
done
[ "$1" = mindie ] || { echo "Error response from daemon: No such container: $1" >&2; exit 1; }
shift
pid=$(pgrep -f "^/bin/sh $base/engine.sh|^/bin/sh -c trap : CHLD; echo up" | while read -r p; do
  case $(readlink "/proc/$p/root") in *"$base/root") echo "$p" && break ;; esac; done)
[ -n "$pid" ] || { echo "Error response from daemon: Container mindie is not running" >&2; exit 1; }
exec nsenter -t "$pid" -m -p -r -w env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root setsid -w "$@"
)sh";

  std::filesystem::path at_;
  LocalHost here_;
  std::unique_ptr<Process> process_;
};

struct Container : HostUnderTest {
  fakes::ScratchDirectory scratch;
  std::unique_ptr<StandInContainer> container;
  std::unique_ptr<fakes::TestSshd> sshd;
  std::string path_before;

  explicit Container(bool over_ssh) {
    missing = StandInContainer::missing();
    if (missing.empty() && over_ssh) missing = fakes::TestSshd::missing();
    if (!missing.empty()) return;
    container = std::make_unique<StandInContainer>(scratch.path());
    Target target;
    std::shared_ptr<Host> outer = std::make_shared<LocalHost>();
    if (over_ssh) {
      sshd =
          fakes::TestSshd::start({.config = {"ForceCommand PATH=" + container->bin().string() +
                                             ":$PATH exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\""}});
      outer = std::make_shared<SshHost>(sshd->target());
    } else {
      path_before = std::getenv("PATH");
      ::setenv("PATH", (container->bin().string() + ":" + path_before).c_str(), 1);
    }
    target.container = "mindie";
    host = std::make_unique<ContainerHost>(outer, target);
    directory = "/work";
    full_directory = "/full";
  }
  ~Container() override {
    host.reset();
    if (!path_before.empty()) ::setenv("PATH", path_before.c_str(), 1);
  }
  std::filesystem::path here(const std::string& path) const override {
    return path.starts_with("/work") ? container->work().string() + path.substr(5) : path;
  }
};

}  // namespace

std::vector<HostKind> host_kinds() {
  const bool is_root = ::geteuid() == 0;
  return {{.name = "local", .is_root = is_root},
          {.name = "ssh", .is_root = is_root},
          {.name = "ssh_unprivileged"},
          {.name = "container_here", .is_root = true, .tells_signals = false},
          {.name = "container_over_ssh", .is_root = true, .tells_signals = false}};
}

std::unique_ptr<HostUnderTest> make_host(const HostKind& kind) {
  std::unique_ptr<HostUnderTest> made;
  if (kind.name == "local") made = std::make_unique<Local>();
  if (kind.name == "ssh") made = std::make_unique<Ssh>(false);
  if (kind.name == "ssh_unprivileged") made = std::make_unique<Ssh>(true);
  if (kind.name == "container_here") made = std::make_unique<Container>(false);
  if (kind.name == "container_over_ssh") made = std::make_unique<Container>(true);
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
