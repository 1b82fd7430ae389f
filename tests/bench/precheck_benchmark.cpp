// What a precheck costs the host: round trips, wall time, and CPU of everything that it starts
// there, against the simulated host on this machine. `script alone` is the probe without npu-smi,
// without Python; the budget of 300 ms of host CPU beyond npu-smi's own is for that and for the
// look at Python's packages. The import of torch_npu comes on top in a full precheck.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "fakes/scratch_directory.hpp"
#include "host/local_host.hpp"
#include "precheck/precheck.hpp"

using namespace npuprof;
namespace fs = std::filesystem;

namespace {

class CountingHost final : public Host {
 public:
  Result<std::unique_ptr<Process>> start(const Command& command,
                                         const std::stop_token& stop) override {
    ++round_trips;
    return host_.start(command, stop);
  }
  std::string description() const override { return host_.description(); }

  int round_trips = 0;

 private:
  LocalHost host_;
};

double children_cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1000 + static_cast<double>(time.tv_usec) / 1000;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

void measure(const char* name, const Target& target, precheck::Level level) {
  constexpr int runs = 5;
  double least_cpu = 1e9;
  double least_wall = 1e9;
  int round_trips = 0;
  for (int i = 0; i < runs; ++i) {
    CountingHost host;
    const auto cpu = children_cpu_ms();
    const auto begin = std::chrono::steady_clock::now();
    (void)precheck::run_precheck(host, target, {.level = level}, {});
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
    least_wall = std::min(least_wall, wall.count());
    least_cpu = std::min(least_cpu, children_cpu_ms() - cpu);
    round_trips = host.round_trips;
  }
  std::printf("precheck, %-28s round trips %d, wall %6.0f ms, host CPU %6.0f ms (least of %d)\n",
              name, round_trips, least_wall, least_cpu, runs);
}

}  // namespace

int main() {
  const fs::path simulated = fs::path(NPUPROF_SOURCE_DIR) / "examples" / "simulated_host";
  fakes::ScratchDirectory scratch;
  Target target;
  target.name = "bench";
  target.kind = TargetKind::local;
  target.workspace = scratch.path().string();
  target.lease_dir = (scratch.path() / "leases").string();
  target.python = "no-such-python";
  measure("script alone:", target, precheck::Level::quick);
  target.python = "/usr/bin/python3";
  measure("with Python's packages:", target, precheck::Level::quick);
  target.set_env = {(simulated / "set_env.sh").string()};
  target.path_prepend = {(simulated / "bin").string()};
  measure("with npu-smi (simulated):", target, precheck::Level::quick);
  measure("full, with the import:", target, precheck::Level::full);
}
