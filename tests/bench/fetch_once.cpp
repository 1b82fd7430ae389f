// Fetches one directory from one SSH host, once, and prints what it took as one JSON line: what the
// transfer benchmark measures npuprof with.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>

#include "evidence/assessment.hpp"
#include "host/local_host.hpp"
#include "host/ssh_host.hpp"
#include "transfer/fetch.hpp"

namespace {

using Steady = std::chrono::steady_clock;

double since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

double cpu_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Of this program alone: what ran in the process before it does not count.
double peak_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  npuprof::Target target;
  target.name = "bench";
  target.host = "127.0.0.1";
  target.ssh_config = "/dev/null";
  npuprof::transfer::FetchRequest request;
  request.archive = false;
  bool local = false;
  bool evidence = false;
  CLI::App app("Fetches one directory once and prints what it took.");
  app.add_option("--host", target.host);
  app.add_option("--port", target.port);
  app.add_option("--user", target.user);
  app.add_option("--identity", target.identity_file);
  app.add_option("--known-hosts", target.known_hosts);
  app.add_option("--codec", request.settings.codec);
  app.add_flag("--local", local);
  app.add_flag("--archive", request.archive);
  app.add_flag("--evidence", evidence, "also read the evidence of the essential files");
  app.add_option("remote_dir", request.remote_dir)->required();
  app.add_option("home", request.home)->required();
  CLI11_PARSE(app, argc, argv);

  npuprof::LocalHost here;
  npuprof::SshHost there(target);
  npuprof::Host& host = local ? static_cast<npuprof::Host&>(here) : there;
  // The session of a target is there before a profile is.
  if (auto greeted = host.shell("true"); !greeted) {
    std::cerr << greeted.error().message << "\n";
    return 1;
  }
  std::filesystem::create_directories(request.home);
  const auto begin = Steady::now();
  double essential = 0;
  double judged = 0;
  std::optional<std::jthread> reading;
  request.essential_ready = [&] {
    essential = since(begin);
    if (!evidence) return;
    reading.emplace([&] {
      (void)npuprof::evidence::assess(request.home / "profile_l1");
      judged = since(begin);
    });
  };
  const auto artifact = npuprof::transfer::fetch(
      host, request, [](const npuprof::transfer::TransferProgress&) {}, {});
  reading.reset();
  const double seconds = since(begin);
  if (!artifact) {
    std::cerr << artifact.error().code << ": " << artifact.error().message << "\n";
    return 1;
  }
  std::cout << npuprof::Json{{"seconds", seconds},
                             {"transfer_seconds", artifact->seconds},
                             {"archive_seconds", artifact->archive_seconds},
                             {"essential_seconds", essential},
                             {"verdict_seconds", judged},
                             {"cpu_seconds", cpu_seconds()},
                             {"peak_mb", peak_mb()},
                             {"files", artifact->files.size()},
                             {"bytes", artifact->bytes},
                             {"wire_bytes", artifact->wire_bytes},
                             {"codec", artifact->codec},
                             {"codec_reason", artifact->codec_reason}}
                   .dump()
            << "\n";
  return 0;
}
