#include <algorithm>

#include "evidence/step_leak.hpp"
#include "evidence/thresholds.hpp"
#include "evidence/warmup.hpp"

namespace npuprof::evidence {
namespace {

void add_warmup_count(int steps, EvidenceList& out) {
  const bool some = steps > 0;
  out.push_back({"warmup_steps",
                 some ? WarmupVerdict::stripped : WarmupVerdict::not_stripped,
                 1,
                 some ? std::to_string(steps) + " warm-up step(s) ran before anything was recorded"
                      : "no warm-up step ran before the window",
                 {{"warmup_steps", steps}}});
}

// Where the data begins, against where the profiler's schedule begins to record.
void add_schedule(const Question& question, EvidenceList& out) {
  const auto& info = question.profile.info;
  if (question.step_ids.empty() || !info || !info->schedule) return;
  const std::int64_t first = question.step_ids.front();
  const ProfilerSchedule& schedule = *info->schedule;
  const std::int64_t due = schedule.first_step();
  const std::int64_t cycle =
      std::max<std::int64_t>(1, std::int64_t{schedule.wait} + schedule.warmup + schedule.active);
  const Json figures = {{"wait", schedule.wait},     {"warmup", schedule.warmup},
                        {"active", schedule.active}, {"skip_first", schedule.skip_first},
                        {"first_step_id", first},    {"due_first_step_id", due}};
  const auto say = [&](WarmupVerdict verdict, int weight, std::string message) {
    out.push_back({"schedule", verdict, weight, std::move(message), figures});
  };
  if (first < due) {
    say(WarmupVerdict::not_stripped, 3,
        "the data begins with step " + std::to_string(first) +
            ", before the schedule's first active step " + std::to_string(due));
  } else if ((first - due) % cycle != 0) {
    say(WarmupVerdict::unknown, 0,
        "the first step in the data is none that the schedule begins with");
  } else if (question.expected.warmup_steps) {
    return;  // known better than from the schedule
  } else if (due > 0) {
    say(WarmupVerdict::stripped, 1,
        std::to_string(due) + " step(s) ran before the first recorded one, as scheduled");
  } else {
    say(WarmupVerdict::unknown, 0,
        "the schedule records from the first step on: warm-up, if any, ran before the profiler was "
        "made");
  }
}

void add_window_start(const Question& question, EvidenceList& out) {
  const auto& window = question.expected.first_step_id;
  if (!window || question.step_ids.empty()) return;
  const std::int64_t first = question.step_ids.front();
  if (first >= *window - question.guard_steps) return;
  out.push_back({"window_start",
                 WarmupVerdict::not_stripped,
                 3,
                 "the data begins with step " + std::to_string(first) +
                     ", before the window and its guard steps",
                 {{"first_step_id", first},
                  {"window_first_step_id", *window},
                  {"guard_steps", question.guard_steps}}});
}

// Without step marks: every kernel of a steady window comes as often as there are steps in it.
void add_repeats(const Question& question, EvidenceList& out) {
  if (!question.step_ids.empty() || !question.expected.active_steps) return;
  const int asked = *question.expected.active_steps + question.guard_steps;
  const std::uint64_t repeats = kernel_repeats(question.profile);
  if (repeats < thresholds.min_kernel_repeats || repeats <= static_cast<std::uint64_t>(asked) ||
      repeats % static_cast<std::uint64_t>(std::max(asked, 1)) == 0) {
    return;
  }
  out.push_back({"kernel_repeats",
                 WarmupVerdict::not_stripped,
                 2,
                 "every kernel comes more often than the window has steps",
                 {{"repeats", repeats}, {"recorded_steps_asked", asked}}});
}

void add_step_times(const Question& question, EvidenceList& out) {
  const WindowSteps window = window_steps(question);
  if (window.ms.empty()) return;
  const StepLeak leak = compare_steps(window.ms);
  if (!leak.comparable) return;
  const Json figures = {{"source", window.source},
                        {"steps", window.ms.size()},
                        {"first_ms", window.ms.front()},
                        {"settled_ms", leak.settled},
                        {"first_over_settled", leak.first_ratio},
                        {"range_of_others", leak.range},
                        {"leading_long_steps", leak.leading}};
  if (leak.leading > 0 && !leak.by_chance) {
    out.push_back({"step_times", WarmupVerdict::not_stripped, 3,
                   "the first " + std::to_string(leak.leading) +
                       " step(s) of the window are longer than the settled ones",
                   figures});
  } else if (leak.leading > 0) {
    out.push_back({"step_times", WarmupVerdict::unknown, 0,
                   "the first step is long, but the steps vary so much that it may be by chance",
                   figures});
  } else {
    const bool many = static_cast<int>(window.ms.size()) >= thresholds.min_window_steps;
    out.push_back({"step_times", WarmupVerdict::stripped, many ? 2 : 1,
                   "the first step is no longer than the settled ones", figures});
  }
}

void add_warmup_times(const Question& question, EvidenceList& out) {
  const Expectations& expected = question.expected;
  if (expected.warmup_ms.empty() || expected.step_ms.empty()) return;
  std::vector<double> steps = expected.step_ms;
  std::sort(steps.begin(), steps.end());
  const double settled = steps[steps.size() / 2];
  const double last = expected.warmup_ms.back();
  // The profiler's own cost lengthens the window's steps, never those of the warm-up.
  const bool settled_before = last <= settled * thresholds.leak_ratio;
  out.push_back({"warmup_times",
                 settled_before ? WarmupVerdict::stripped : WarmupVerdict::unknown,
                 settled_before ? 1 : 0,
                 settled_before ? "step times had settled by the end of the warm-up"
                                : "the last warm-up step was still long",
                 {{"first_warmup_ms", expected.warmup_ms.front()},
                  {"last_warmup_ms", last},
                  {"window_median_ms", settled}}});
}

}  // namespace

WindowSteps window_steps(const Question& question) {
  WindowSteps window;
  if (!question.expected.step_ms.empty()) {
    window.ms = question.expected.step_ms;
    window.source = "the runner";
    return window;
  }
  const Profile& profile = question.profile;
  const auto ids = question.window_ids();
  const auto in_window = [&](std::int64_t id) {
    return std::binary_search(ids.begin(), ids.end(), id);
  };
  // What the host measured of each step holds the waits that the device's times may not.
  if (profile.trace && !profile.trace->steps.empty()) {
    for (const auto& [id, step] : profile.trace->steps) {
      if (in_window(id)) window.ms.push_back(step.duration_us / 1000);
    }
    window.source = "ProfilerStep events of the trace";
    if (!window.ms.empty()) return window;
  }
  if (profile.steps) {
    std::map<std::int64_t, double> longest;  // over the devices
    for (const auto& step : profile.steps->steps) {
      if (!step.step || !in_window(*step.step)) continue;
      longest[*step.step] = std::max(longest[*step.step], step.length() / 1000);
    }
    for (const auto& [id, ms] : longest) window.ms.push_back(ms);
    window.source = "step_trace_time.csv";
    if (!window.ms.empty()) return window;
  }
  if (profile.database) {
    for (const auto& [id, us] : profile.database->step_us) {
      if (in_window(id)) window.ms.push_back(us / 1000);
    }
    window.source = "the database";
  }
  return window;
}

void add_step_evidence(const Question& question, EvidenceList& out) {
  if (question.expected.warmup_steps) add_warmup_count(*question.expected.warmup_steps, out);
  add_schedule(question, out);
  add_window_start(question, out);
  add_repeats(question, out);
  add_step_times(question, out);
  add_warmup_times(question, out);
}

}  // namespace npuprof::evidence
