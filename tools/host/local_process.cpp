#include "host/local_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/error_codes.hpp"
#include "host/signal_name.hpp"
#include "host/tracked_process.hpp"

extern char** environ;

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t read_size = 64 << 10;

struct Pipe {
  Fd reader;
  Fd writer;
};

// Both ends above 2, so that the child can put them on 0, 1 and 2 in any order.
bool make_pipe(Pipe& made) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  made = {Fd(ends[0]), Fd(ends[1])};
  for (Fd* end : {&made.reader, &made.writer}) {
    if (end->get() > 2) continue;
    *end = Fd(::fcntl(end->get(), F_DUPFD_CLOEXEC, 3));
    if (!end->is_open()) return false;
  }
  return true;
}

void set_nonblocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<std::string> environment_of(const Command& command, const std::string& marker) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string name(text.substr(0, text.find('=')));
    if (name != command_variable && !command.env.contains(name)) variables.emplace_back(text);
  }
  for (const auto& [name, value] : command.env) variables.push_back(name + "=" + value);
  variables.push_back(std::string(command_variable) + "=" + marker);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the child, after fork: only what is async-signal-safe.
[[noreturn]] void refuse(const char* what, int status) {
  const char* const reason = ::strerrordesc_np(errno);
  for (const char* const part : {what, ": ", reason == nullptr ? "failed" : reason, "\n"}) {
    if (::write(2, part, std::strlen(part)) < 0) break;
  }
  ::_exit(status);
}

[[noreturn]] void become(char** argv, char** env, const char* cwd, bool cwd_is_wanted, int in,
                         int out, int err) {
  ::setsid();
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &plain, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (*cwd != '\0' && ::chdir(cwd) != 0 && cwd_is_wanted) refuse(cwd, 126);
  environ = env;  // execvp looks the program up on the PATH that the command is to have
  ::execvp(argv[0], argv);
  refuse(argv[0], errno == ENOENT || errno == ENOTDIR ? 127 : 126);
}

// write() to a pipe that nobody reads must not kill this process.
ssize_t write_quietly(int fd, const char* data, std::size_t size) {
  sigset_t broken_pipe;
  sigset_t before;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(fd, data, size);
  const int reason = errno;
  if (written < 0 && reason == EPIPE && ::sigismember(&before, SIGPIPE) == 0) {
    const timespec at_once{};
    ::sigtimedwait(&broken_pipe, nullptr, &at_once);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return written;
}

std::vector<pid_t> carriers_of(const std::string& variable) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry("/proc", ignored), end; entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry->path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (environment.find(variable) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

int milliseconds_until(Steady::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

Result<std::unique_ptr<LocalProcess>> LocalProcess::spawn(const Command& command,
                                                          std::string marker) {
  Pipe in;
  Pipe out;
  Pipe err;
  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const auto failed = [&](const std::string& what) {
    return fail(Error{.code = codes::io_error,
                      .message = what + " failed on this machine: " + std::strerror(errno) +
                                 ". Nothing was started.",
                      .remedy = "Free memory, processes or open files, then try again.",
                      .who = Who::user,
                      .retryable = true});
  };
  if (!wake.is_open() || !make_pipe(in) || !make_pipe(out) || !make_pipe(err)) {
    return failed("Making a pipe");
  }
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = environment_of(command, marker);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> env = pointers_to(variables);
  const char* const home = std::getenv("HOME");
  const std::string cwd = !command.cwd.empty() ? command.cwd : home != nullptr ? home : "";

  const pid_t pid = ::fork();
  if (pid < 0) return failed("Starting a process");
  if (pid == 0) {
    become(const_cast<char**>(argv.data()), const_cast<char**>(env.data()), cwd.c_str(),
           !command.cwd.empty(), in.reader.get(), out.writer.get(), err.writer.get());
  }
  std::unique_ptr<LocalProcess> process(new LocalProcess);
  process->pid_ = pid;
  process->marker_ = std::move(marker);
  process->pid_fd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  process->stdin_ = std::move(in.writer);
  process->out_ = std::move(out.reader);
  process->err_ = std::move(err.reader);
  process->wake_ = std::move(wake);
  for (const Fd* fd : {&process->stdin_, &process->out_, &process->err_}) set_nonblocking(*fd);
  return process;
}

LocalProcess::~LocalProcess() {
  if (!exit_ && !reap()) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

bool LocalProcess::reap() {
  if (exit_) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  Exit exit;
  if (WIFSIGNALED(status)) {
    exit = {.status = 128 + WTERMSIG(status), .signal = signal_name(WTERMSIG(status))};
  } else {
    exit.status = WEXITSTATUS(status);
  }
  exit_ = exit;
  return true;
}

void LocalProcess::write(std::string_view bytes) {
  if (!stdin_.is_open() || close_stdin_) return;
  pending_ += bytes;
  feed_stdin();
}

void LocalProcess::close_stdin() {
  close_stdin_ = true;
  feed_stdin();
}

void LocalProcess::feed_stdin() {
  while (stdin_.is_open() && taken_ < pending_.size()) {
    const ssize_t written = write_quietly(stdin_.get(), pending_.data() + taken_,
                                          std::min(pending_.size() - taken_, std::size_t{1} << 20));
    if (written >= 0) {
      taken_ += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      stdin_.reset();  // the command no longer reads
      taken_ = pending_.size();
    }
  }
  if (taken_ == pending_.size()) {
    pending_.clear();
    taken_ = 0;
  }
  if (close_stdin_ && pending_.empty()) stdin_.reset();
}

std::optional<ProcessEvent> LocalProcess::read_from(Fd& stream, ProcessEvent::Kind kind) {
  if (!stream.is_open()) return std::nullopt;
  std::string bytes(read_size, '\0');
  const ssize_t count = ::read(stream.get(), bytes.data(), bytes.size());
  if (count > 0) {
    bytes.resize(static_cast<std::size_t>(count));
    return ProcessEvent{.kind = kind, .bytes = std::move(bytes)};
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) stream.reset();
  return std::nullopt;
}

Result<ProcessEvent> LocalProcess::next(Steady::time_point until, const std::stop_token& stop) {
  const std::stop_callback wake_up(stop, [this] { ::eventfd_write(wake_.get(), 1); });
  while (true) {
    if (stop.stop_requested()) {
      return fail({.code = codes::cancelled,
                   .message = "Cancelled; the command was ended on this machine.",
                   .who = Who::agent});
    }
    std::array<pollfd, 5> fds{{{wake_.get(), POLLIN, 0},
                               {out_.get(), POLLIN, 0},
                               {err_.get(), POLLIN, 0},
                               {pending_.empty() ? -1 : stdin_.get(), POLLOUT, 0},
                               {exit_ ? -1 : pid_fd_.get(), POLLIN, 0}}};
    int wait = milliseconds_until(until);
    if (!exit_ && !pid_fd_.is_open()) wait = std::min(wait, 20);  // a kernel before 5.3
    ::poll(fds.data(), fds.size(), wait);

    if (fds[3].revents != 0) feed_stdin();
    reap();
    err_first_ = !err_first_;  // so that a flood on one stream can't hide the other
    for (const bool err : {err_first_, !err_first_}) {
      if (fds[err ? 2 : 1].revents == 0) continue;
      auto event =
          err ? read_from(err_, ProcessEvent::Kind::err) : read_from(out_, ProcessEvent::Kind::out);
      if (event) return std::move(*event);
    }
    if (exit_ && !out_.is_open() && !err_.is_open()) {
      return ProcessEvent{.kind = ProcessEvent::Kind::exited, .exit = *exit_};
    }
    if (Steady::now() >= until) return ProcessEvent{};
  }
}

bool LocalProcess::signal_tree(int signal) {
  bool anyone = !reap();
  if (anyone) ::kill(pid_, signal);  // it may not lead its session yet
  if (::kill(-pid_, signal) == 0) anyone = true;
  for (const pid_t pid : carriers_of(std::string(command_variable) + "=" + marker_)) {
    anyone = true;
    ::kill(pid, signal);
  }
  return anyone;
}

void LocalProcess::end_tree() {
  using namespace std::chrono_literals;
  signal_tree(SIGTERM);
  const auto begin = Steady::now();
  while (signal_tree(0) && Steady::now() < begin + 500ms) std::this_thread::sleep_for(10ms);
  while (signal_tree(SIGKILL) && Steady::now() < begin + 3s) std::this_thread::sleep_for(10ms);
}

}  // namespace npuprof
