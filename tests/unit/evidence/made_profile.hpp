#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "evidence/findings.hpp"

namespace npuprof::evidence {

// The files of a profile, by path, in memory.
using Files = std::map<std::string, std::string>;

std::vector<Profile> read_files(const Files& files);
Assessment assess_files(const Files& files, const Expectations& expectations = {});

// A run as the tests make it: Level1, NPU and CPU, `steps` recorded steps of eight kernels each.
//
// The spread of kernel durations is that of real kernels of one type and shape: coefficients of
// variation measured in the published 2023 ArithmeticUtilization profile (0.5 to 9 % for kernels
// longer than 5 us, random number generators left out). Host gaps between kernels vary twice as
// much. Any step may besides be up to 5 % longer.
struct MadeRun {
  int steps = 6;
  unsigned seed = 1;
  double leak_factor = 1;       // by which the first step is longer
  int leaking_steps = 0;        // the leak falls off over so many steps
  bool long_last_step = false;  // the profiler's end lengthens it
};

Files make_run(const MadeRun& run);

}  // namespace npuprof::evidence
