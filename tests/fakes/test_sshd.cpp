#include "fakes/test_sshd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "host/local_host.hpp"

namespace npuprof::fakes {
namespace {

using Steady = std::chrono::steady_clock;

constexpr char sshd[] = "/usr/sbin/sshd";

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

std::uint16_t free_port(const std::string& host) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = address_of(host, 0);
  socklen_t size = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

bool listens(const std::string& host, std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = address_of(host, port);
  const bool connected =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The parent of a process, 0 where it is gone or a zombie.
pid_t parent_of(pid_t pid) {
  const std::string stat = content_of("/proc/" + std::to_string(pid) + "/stat");
  const auto after_name = stat.rfind(')');
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(stat.substr(after_name + 1));
  char state = 'Z';
  pid_t parent = 0;
  fields >> state >> parent;
  return state == 'Z' ? 0 : parent;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = static_cast<pid_t>(std::stol(name));
    if (parent_of(pid) == parent) children.push_back(pid);
  }
  return children;
}

}  // namespace

std::string run_or_throw(const std::vector<std::string>& argv) {
  LocalHost here;
  auto output = here.capture({.argv = argv});
  if (!output) throw std::runtime_error(output.error().message);
  if (!output->exit.ok()) throw std::runtime_error(argv.front() + ": " + output->err);
  return output->out;
}

std::string TestSshd::missing() {
  return std::filesystem::exists(sshd) ? "" : "there is no /usr/sbin/sshd (package openssh-server)";
}

std::string TestSshd::missing_account() {
  if (auto why = missing(); !why.empty()) return why;
  return ::geteuid() == 0 ? "" : "an account of the test's own needs root";
}

std::unique_ptr<TestSshd> TestSshd::start(const Options& options) {
  std::unique_ptr<TestSshd> made(new TestSshd(options));
  const auto& scratch = made->scratch_;
  if (::geteuid() == 0) std::filesystem::create_directories("/run/sshd");
  std::filesystem::create_directory(scratch / "workspace");
  for (const char* const key : {"host_key", "user_key"}) {
    run_or_throw({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key, "-f", scratch / key});
  }
  std::filesystem::copy_file(scratch / "user_key.pub", scratch / "authorized_keys");
  ::chmod((scratch / "authorized_keys").c_str(), 0644);
  if (options.account) made->make_account();
  for (int attempt = 0;; ++attempt) {
    made->port_ = free_port(options.listen);
    std::ofstream config(scratch / "sshd_config");
    for (const auto& line : options.config) config << line << "\n";
    config << "ListenAddress " << options.listen << ":" << made->port_ << "\n"
           << "HostKey " << (scratch / "host_key").string() << "\n"
           << "AuthorizedKeysFile " << (scratch / "authorized_keys").string() << "\n"
           << "PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
           << "KbdInteractiveAuthentication no\nPermitRootLogin yes\nLogLevel VERBOSE\n"
           << "UseDNS no\n";
    if (options.sftp) config << "Subsystem sftp internal-sftp\n";
    // bash reads ~/.bashrc under sshd unless it thinks to be in another shell: what the user that
    // runs the test has there is none of the test's business.
    if (!options.account) config << "SetEnv SHLVL=1\n";
    config.close();
    try {
      made->run();
      break;
    } catch (const std::runtime_error&) {
      if (attempt == 4) throw;  // the first time somebody else may have taken the port
    }
  }
  std::ofstream(scratch / "known_hosts")
      << "[" << options.listen << "]:" << made->port_ << " " << made->host_key() << "\n";
  return made;
}

// Copies of the user database with one more line, for the server's own view of /etc.
void TestSshd::make_account() const {
  constexpr uid_t id = 64'999;
  const Account& account = *options_.account;
  const auto home = scratch_ / "home";
  std::filesystem::create_directory(home);
  for (const auto& [name, content] : account.home_files) {
    std::filesystem::create_directories((home / name).parent_path());
    std::ofstream(home / name, std::ios::binary) << content;
  }
  std::ofstream(scratch_ / "passwd")
      << content_of("/etc/passwd") << account.name << ":x:" << id << ":" << id
      << "::" << home.string() << ":" << account.shell << "\n";
  std::string hash =
      account.password.empty() ? "*" : run_or_throw({"openssl", "passwd", "-6", account.password});
  while (hash.ends_with('\n')) hash.pop_back();
  std::ofstream(scratch_ / "shadow")
      << content_of("/etc/shadow") << account.name << ":" << hash << ":20000:0:99999:7:::\n";
  std::ofstream(scratch_ / "group")
      << content_of("/etc/group") << account.name << ":x:" << id << ":\n";
  ::chmod((scratch_ / "shadow").c_str(), 0600);
  ::chmod(scratch_.path().c_str(), 0755);
  for (const auto& owned : {home, scratch_ / "workspace"}) {
    run_or_throw({"chown", "-R", std::to_string(id) + ":" + std::to_string(id), owned});
  }
}

void TestSshd::run() {
  const std::string config = scratch_ / "sshd_config";
  const std::string log_file = scratch_ / "sshd.log";
  std::vector<std::pair<std::string, std::string>> mounts;
  if (options_.account) {
    for (const char* const name : {"passwd", "shadow", "group"}) {
      mounts.emplace_back(scratch_ / name, std::string("/etc/") + name);
    }
  }
  const pid_t self = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != self) ::_exit(1);
    if (!mounts.empty()) {
      if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
      if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) ::_exit(126);
      for (const auto& [from, to] : mounts) {
        if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0) ::_exit(126);
      }
    }
    ::execl(sshd, sshd, "-D", "-f", config.c_str(), "-E", log_file.c_str(), nullptr);
    ::_exit(127);
  }
  const auto deadline = Steady::now() + std::chrono::seconds(20);
  while (!listens(options_.listen, port_)) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      throw std::runtime_error("sshd did not start: " + log());
    }
    if (Steady::now() > deadline) throw std::runtime_error("sshd does not listen: " + log());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TestSshd::~TestSshd() {
  stop();
}

void TestSshd::stop() {
  if (pid_ < 0) return;
  const auto open = sessions();
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  for (const pid_t session : open) {
    for (const pid_t child : children_of(session)) ::kill(child, SIGKILL);
    ::kill(session, SIGKILL);
  }
  const auto deadline = Steady::now() + std::chrono::seconds(10);
  for (const pid_t session : open) {
    while (parent_of(session) != 0 && Steady::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

void TestSshd::restart() {
  run();
}

std::vector<pid_t> TestSshd::sessions() const {
  return children_of(pid_);
}

std::string TestSshd::host_key() const {
  std::istringstream words(content_of(scratch_ / "host_key.pub"));
  std::string type;
  std::string key;
  words >> type >> key;
  return type + " " + key;
}

std::string TestSshd::log() const {
  return content_of(scratch_ / "sshd.log");
}

Target TestSshd::target() const {
  Target target;
  target.name = "test";
  target.kind = TargetKind::ssh;
  target.host = options_.listen;
  if (options_.account) target.user = options_.account->name;
  target.port = port_;
  target.identity_file = identity();
  target.known_hosts = known_hosts();
  target.ssh_config = "/dev/null";
  target.workspace = scratch_ / "workspace";
  return target;
}

}  // namespace npuprof::fakes
