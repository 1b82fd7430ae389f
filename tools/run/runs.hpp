#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "run/bring_home.hpp"
#include "run/live_run.hpp"
#include "run/run_parts.hpp"

namespace npuprof::run {

class RunWorker;

// How long a call waits: nothing: to the end.
using Patience = std::optional<std::chrono::seconds>;

// The runs of a data directory, and the workers of this process that carry them. Thread-safe.
// Destroying it ends the waiting and the workers, not the runs.
class Runs {
 public:
  Runs(Config config, Clock& clock, RunStore store, HostOf host_of, PrecheckStage precheck);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // Makes a run (or finds the one of its run_key), has it carried, and waits. What can be known to
  // be wrong before anything is made fails here; what the run itself comes to is in its record.
  Result<Record> collect(const Json& arguments, Patience patience, CallContext& context);

  // Where a run stands, after waiting for its end. Has it carried on where nobody does.
  Result<Record> wait(const std::string& run_id, Patience patience, CallContext& context);

  // Brings a run home that has ended (waits for that first).
  Result<Record> fetch(const std::string& run_id, BringHome what, bool remove_remote,
                       Patience patience, CallContext& context);

  // Brings a directory home that no run of ours made. The same directory gives the same record.
  Result<Record> fetch_directory(const Target& target, const std::string& remote_dir,
                                 BringHome what, Patience patience, CallContext& context);

  // Takes a run of the target's workspace into this data directory that is not in it: an orphan,
  // or one that another npuprof started.
  Result<Record> adopt(const Target& target, const std::string& run_id, CallContext& context);

  // Ends a run on its host and waits until it is gone from there (a minute and a half at most).
  Result<Record> cancel(const std::string& run_id, CallContext& context);

  // Has every run carried on that nobody carries.
  void resume_all();

  const RunStore& store() const { return parts_.store; }
  const Config& config() const { return parts_.config; }
  RunParts& parts() { return parts_; }

 private:
  using Work = std::function<void(RunWorker&, const std::stop_token&)>;
  struct Carried {
    std::shared_ptr<LiveRun> live;
    std::jthread thread;  // last
  };

  // The live run where this process carries it already or now does; nothing where another does.
  Result<std::shared_ptr<LiveRun>> carry(const std::string& run_id, const Work& work);
  void work_on(LiveRun& live, const Work& work, const std::stop_token& stop);
  std::shared_ptr<LiveRun> find_live(const std::string& run_id);
  Result<Record> make_run(const Request& request, CallContext& context);
  Result<Record> wait_for_other(const std::string& run_id,
                                std::optional<Clock::Steady::time_point> until,
                                CallContext& context);
  std::optional<Clock::Steady::time_point> until(Patience patience) const;

  RunParts parts_;
  std::mutex mutex_;
  std::map<std::string, Carried> carried_;
};

}  // namespace npuprof::run
