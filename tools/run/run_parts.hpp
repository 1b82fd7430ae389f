#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/config.hpp"
#include "core/clock.hpp"
#include "run/follower.hpp"
#include "run/precheck_stage.hpp"
#include "run/run_store.hpp"

namespace npuprof::run {

using HostOf = std::function<Result<std::shared_ptr<Host>>(const Target&)>;

// What every worker works with. Thread-safe; outlives the workers.
struct RunParts {
  Config config;
  Clock& clock;
  RunStore store;
  HostOf host_of;
  PrecheckStage precheck;

  // The follower of a target's directory of runs.
  Follower& follower(const Target& target, const std::string& directory) {
    const std::lock_guard lock(mutex);
    auto& found = followers[target.name + "\n" + directory];
    if (!found) {
      found = std::make_unique<Follower>([this, target] { return host_of(target); }, target,
                                         directory, clock);
    }
    return *found;
  }

  std::mutex mutex = {};
  std::map<std::string, std::unique_ptr<Follower>> followers = {};
};

}  // namespace npuprof::run
