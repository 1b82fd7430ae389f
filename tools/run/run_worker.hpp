#pragma once

#include "run/bring_home.hpp"
#include "run/live_run.hpp"
#include "run/observed_run.hpp"
#include "run/run_parts.hpp"

namespace npuprof::run {

// Carries one run from the stage that its journal says was reached to its end. Used by one thread,
// which holds the run's lock. A stop ends the work, not the run: the journal says where to go on.
class RunWorker {
 public:
  RunWorker(RunParts& parts, LiveRun& live);

  // Precheck, launch, follow, fetch, judge: what of it is left.
  void carry_on(const std::stop_token& stop);

  // Fetch and judge alone, for a run that has ended.
  void bring_home(const BringHome& what, bool remove_remote, const std::stop_token& stop);

 private:
  bool start(const std::stop_token& stop);
  bool precheck(Host& host, const Request& request, const std::stop_token& stop);
  bool launch_job(const Target& target, const std::stop_token& stop);
  void follow(const Target& target, const std::stop_token& stop);
  void take_news(const std::vector<News>& news, ObservedRun& observed);
  void note_evidence(const ObservedRun& observed);
  bool handle_cancel(const Target& target, const std::stop_token& stop);
  void read_log_tail(const Target& target);
  Result<void> fetch_and_judge(const BringHome& what, bool remove_remote,
                               const std::stop_token& stop);
  void end(RunState state, const Error& error);
  void save(const std::string& message);
  void save_seldom(const std::string& message);

  RunParts& parts_;
  LiveRun& live_;
  Record record_;
  Journal journal_;
  bool unseen_ = false;  // the host answers, but nothing of a supervisor is there
  Clock::Steady::time_point unseen_since_;
  bool missing_ = false;
  bool cancel_sent_ = false;
  Clock::Steady::time_point saved_at_;
};

// Of the whole run, 0 to 100, as far as the record tells.
double percent_done(const Record& record);

}  // namespace npuprof::run
