#pragma once

#include <optional>
#include <string_view>

namespace npuprof::run {

// Where a run's capture stands. The artifact and the verdict have states of their own.
enum class RunState {
  queued,
  prechecking,
  running,
  exporting,
  captured,
  failed,
  cancelled,
  timed_out,
  lost
};

std::string_view to_string(RunState state);
std::optional<RunState> run_state_from(std::string_view text);

// True where the capture has ended: nothing of the run is alive on the host.
bool is_final(RunState state);

// States only go forward; a final one stays, but for `lost`: a host that comes back may still
// tell how the run ended.
bool may_follow(RunState from, RunState to);

}  // namespace npuprof::run
