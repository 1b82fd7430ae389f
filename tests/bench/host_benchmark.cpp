// How fast a host over SSH is: bulk output of one command, against the OpenSSH client in the same
// run, and the cost of a login and of a command. Starts a real sshd of its own on loopback.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fakes/test_sshd.hpp"
#include "host/local_host.hpp"
#include "host/ssh_host.hpp"

namespace npuprof {
namespace {

using Steady = std::chrono::steady_clock;

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds that the command's output took to arrive.
double time_of(Host& host, const Command& command, std::uint64_t expected) {
  const auto begin = Steady::now();
  std::uint64_t bytes = 0;
  auto exit = host.run(
      command, {}, [&](std::string_view part) { bytes += part.size(); }, [](std::string_view) {});
  if (!exit || !exit->ok() || bytes != expected) {
    std::fprintf(stderr, "the command failed: %s\n",
                 exit ? "bytes are missing" : exit.error().message.c_str());
    std::exit(1);
  }
  return seconds_since(begin);
}

int run() {
  if (auto why = fakes::TestSshd::missing(); !why.empty()) {
    std::fprintf(stderr, "skipped: %s\n", why.c_str());
    return 0;
  }
  constexpr std::uint64_t bytes = 512ULL << 20;
  const auto sshd = fakes::TestSshd::start();
  const Target target = sshd->target();
  const std::string file = sshd->directory() / "data";
  fakes::run_or_throw({"sh", "-c", "head -c " + std::to_string(bytes) + " /dev/urandom >" + file});
  const Command cat{.argv = {"cat", file}, .timeout = std::chrono::minutes(5)};
  const Command ssh{
      .argv = {"ssh", "-F", "/dev/null", "-c", "aes128-gcm@openssh.com", "-i", sshd->identity(),
               "-o", "UserKnownHostsFile=" + sshd->known_hosts().string(), "-p",
               std::to_string(sshd->port()), "127.0.0.1", "cat " + file},
      .timeout = std::chrono::minutes(5)};
  SshHost host(target);
  LocalHost here;
  std::vector<double> logins;
  for (int i = 0; i < 5; ++i) {
    SshHost fresh(target);
    const auto begin = Steady::now();
    if (!fresh.capture({.argv = {"true"}})) return 1;
    logins.push_back(seconds_since(begin));
  }
  std::vector<double> commands;
  for (int i = 0; i < 21; ++i) {
    const auto begin = Steady::now();
    if (!host.capture({.argv = {"true"}})) return 1;
    commands.push_back(seconds_since(begin));
  }
  std::vector<double> ours;
  std::vector<double> openssh;
  rusage usage{};
  for (int i = 0; i < 5; ++i) {
    ours.push_back(time_of(host, cat, bytes));
    if (i == 0) ::getrusage(RUSAGE_SELF, &usage);
    openssh.push_back(time_of(here, ssh, bytes));
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::printf("login and first command   %7.1f ms\n", median(logins) * 1e3);
  std::printf("command                   %7.1f ms\n", median(commands) * 1e3);
  std::printf("stream of %4.0f MB         %7.0f MB/s (best %.0f)\n", megabytes,
              megabytes / median(ours), megabytes / *std::min_element(ours.begin(), ours.end()));
  std::printf("the same by OpenSSH       %7.0f MB/s (best %.0f)\n", megabytes / median(openssh),
              megabytes / *std::min_element(openssh.begin(), openssh.end()));
  std::printf("peak memory               %7.1f MB\n", static_cast<double>(usage.ru_maxrss) / 1e3);
  return 0;
}

}  // namespace
}  // namespace npuprof

int main() {
  return npuprof::run();
}
