#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "config/target.hpp"
#include "core/clock.hpp"
#include "host/host.hpp"

namespace npuprof::run {

// One thing that was learnt of a followed run.
struct News {
  enum class Kind { event, status, missing, unreachable, reachable };
  Kind kind = Kind::status;
  Json body = nullptr;  // of event and status
  bool alive = true;    // of status: the supervisor is
  Error error = {};     // of unreachable: why
};

// Follows all runs of one directory of runs over one channel, which is open while there is
// something to follow, and opened again, with back-off, when it breaks. Thread-safe.
class Follower {
 public:
  using Connect = std::function<Result<std::shared_ptr<Host>>()>;

  // `directory` is <workspace>/.npuprof/runs on the host. `connect` is called from a thread of the
  // follower's own.
  Follower(Connect connect, Target target, std::string directory, Clock& clock);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Ends the following of its run when it is destroyed. Used by one thread; must not outlive the
  // follower.
  class Subscription {
   public:
    virtual ~Subscription() = default;

    // Everything new, oldest first; empty at `until` or when a stop is requested.
    virtual std::vector<News> wait(Clock::Steady::time_point until,
                                   const std::stop_token& stop) = 0;
  };

  // From the event `from_seq` on. After a broken channel it goes on where it was.
  std::unique_ptr<Subscription> follow(const std::string& run_id, std::int64_t from_seq);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace npuprof::run
