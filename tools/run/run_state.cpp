#include "run/run_state.hpp"

#include <array>
#include <utility>

namespace npuprof::run {
namespace {

constexpr std::array<std::pair<RunState, std::string_view>, 9> names{
    {{RunState::queued, "queued"},
     {RunState::prechecking, "prechecking"},
     {RunState::running, "running"},
     {RunState::exporting, "exporting"},
     {RunState::captured, "captured"},
     {RunState::failed, "failed"},
     {RunState::cancelled, "cancelled"},
     {RunState::timed_out, "timed_out"},
     {RunState::lost, "lost"}}};

}  // namespace

std::string_view to_string(RunState state) {
  return names.at(static_cast<std::size_t>(state)).second;
}

std::optional<RunState> run_state_from(std::string_view text) {
  for (const auto& [state, name] : names) {
    if (name == text) return state;
  }
  return std::nullopt;
}

bool is_final(RunState state) {
  return state >= RunState::captured;
}

bool may_follow(RunState from, RunState to) {
  if (from == RunState::lost) return to != RunState::queued && to != RunState::prechecking;
  if (is_final(from)) return from == to;
  return to >= from;
}

}  // namespace npuprof::run
