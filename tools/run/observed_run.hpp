#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// What the events and the status of a run on its host add up to. Feeding the same event again
// changes nothing, and what has not the shape of one is left out: the files may have been edited.
class ObservedRun {
 public:
  // `rank` is the one whose steps are shown: the first that records.
  explicit ObservedRun(int rank) : rank_(rank) {}

  void add_event(const Json& event);

  // `alive`: the supervisor is.
  void add_status(const Json& status, bool alive);

  std::int64_t next_seq() const { return last_seq_ + 1; }

  // The end of the run on its host, once everything of it was seen. A supervisor that is gone
  // without one is `failed` with RUNNER_DIED.
  std::optional<RunState> end() const;

  // The record's state, stage, progress, window, output, evidence, log of errors.
  void show(Record& record) const;

  // Of the recorded steps, guard steps included; by the profiler's count.
  std::optional<std::int64_t> first_step_id() const { return first_step_id_; }
  std::optional<double> began_s() const { return began_s_; }  // by the host's clock
  const std::map<std::string, std::vector<double>>& step_ms() const { return step_ms_; }
  const std::map<std::string, Json>& evidence() const { return evidence_; }
  const std::vector<Json>& notes() const { return notes_; }

  // Of the first step: what is wrong with its output, and the memory it took.
  const std::vector<std::string>& output_problems() const { return output_problems_; }
  std::optional<double> peak_memory_mb() const { return peak_memory_mb_; }

  // Milliseconds of each stage that is over, by the host's clock.
  const std::map<std::string, double>& timings_ms() const { return timings_ms_; }

 private:
  void add_step(const Json& event);
  void add_stage(const Json& event);
  void add_output(const Json& event);
  void show_output_check(Record& record) const;

  int rank_;
  std::int64_t last_seq_ = 0;
  std::int64_t told_events_ = 0;  // by the status
  RunState state_ = RunState::running;
  std::string stage_ = "launch";
  bool supervisor_gone_ = false;
  std::int64_t step_ = 0, of_ = 0;
  std::optional<std::int64_t> first_step_id_;
  std::optional<double> began_s_;
  std::map<std::string, std::vector<double>> step_ms_;  // by phase
  std::map<std::string, double> timings_ms_;
  double stage_began_s_ = 0;
  std::map<std::string, Json> evidence_;
  std::vector<Json> notes_;
  Json outputs_ = Json::array();
  std::vector<std::string> output_problems_;
  std::optional<double> peak_memory_mb_;
  Json error_ = nullptr;  // {code, message, remedy, holder}, as the supervisor has it
};

}  // namespace npuprof::run
