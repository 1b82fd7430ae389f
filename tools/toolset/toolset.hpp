#pragma once

#include <memory>
#include <vector>

#include "config/config.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/resource.hpp"
#include "core/tool.hpp"

namespace npuprof {

// The tools, wired: what serve, call and doctor all start from. Owns the connections to hosts, the
// runs of the data directory and the workers that carry them on. The tools and resources live as
// long as the toolset.
//
// Destroying it ends the waiting of every open call and the workers; runs on hosts go on, and the
// next toolset on the same data directory carries them from the stage they have reached.
class Toolset {
 public:
  virtual ~Toolset() = default;

  // precheck, collect_profile, fetch_artifact, cancel_run: in this order.
  virtual std::vector<Tool*> tools() = 0;

  // The files of runs: npuprof://runs/<run_id>/<file>.
  virtual ResourceProvider& resources() = 0;

  // Takes up, in the background, every run of the data directory that nobody carries. For a
  // server; a single call takes up only the run it speaks of.
  virtual void resume_runs() = 0;
};

// `config` is copied; `clock` must outlive the toolset. Reaches no host. Fails where the data
// directory can't be made.
Result<std::unique_ptr<Toolset>> make_toolset(const Config& config, Clock& clock);

}  // namespace npuprof
