#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/runs.hpp"

namespace npuprof::run {

// What to keep; each limit that is set holds. With none set nothing is removed.
struct PruneLimits {
  std::optional<std::chrono::seconds> oldest = {};  // runs made longer ago go
  std::optional<std::size_t> most = {};             // the latest so many stay
  std::optional<std::uint64_t> most_bytes = {};     // at home; the oldest go until the rest fits
  bool dry_run = false;
};

struct Pruned {
  std::string run_id;
  std::uint64_t bytes = 0;     // at home
  bool removed_here = false;   // never in a dry run
  bool removed_there = false;  // on the host
  std::string left = {};       // why something of it is left; empty: nothing is
};

// Bytes of everything that is kept of a run on this machine.
std::uint64_t bytes_at_home(const RunStore& store, const std::string& run_id);

// Clears runs from both ends: on the host first, then here. Never a run that goes on, that somebody
// works on, that is pinned, or that left something on its host which is not verified at home. A
// run whose host can't be reached stays on both ends. Gives those that go, oldest first.
std::vector<Pruned> prune(Runs& runs, const PruneLimits& limits, const std::stop_token& stop);

}  // namespace npuprof::run
