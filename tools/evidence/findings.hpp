#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "evidence/profile.hpp"

namespace npuprof::evidence {

// What the checks of one profile look at besides its facts: what was asked for, or else what the
// profiler's own settings say.
struct Question {
  const Profile& profile;
  const Expectations& expected;
  std::string level = {};  // "l0", "l1", "l2", "none", "" where nobody says
  bool activities_known = false;
  bool npu = true;        // NPU activity was recorded
  bool cpu = false;       // and CPU activity
  bool text = true;       // CSV and JSON files were asked for
  bool database = false;  // and a database
  bool pmu_wanted = false;
  std::vector<std::int64_t> step_ids = {};  // found, guard steps included, ascending
  std::string step_source = {};             // the file they were read from
  int guard_steps = 0;

  // The steps of the window: without the guard steps.
  std::vector<std::int64_t> window_ids() const;
};

// How often every kernel type comes, at least: the greatest common divisor of their counts. 0 where
// there are too few types to tell.
std::uint64_t kernel_repeats(const Profile& profile);

Question question_of(const Profile& profile, const Expectations& expected);

// Gathers what the checks say.
class Findings {
 public:
  void check(std::string id, CheckStatus status, std::string message, Json evidence = nullptr,
             std::string remedy = {});
  void anomaly(std::string code, Severity severity, std::string message, Json evidence,
               std::string remedy);

  bool has(std::string_view code) const;
  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<Anomaly>& anomalies() const { return anomalies_; }

  // Adds those of another profile: checks of one id become one, the worst, with each profile's
  // evidence.
  void merge(const Findings& other, const std::string& label, bool several);

 private:
  std::vector<Check> checks_;
  std::vector<Anomaly> anomalies_;
};

// The check families; each adds its checks and anomalies.
void check_export(const Question& question, Findings& findings);
void check_files(const Question& question, Findings& findings);
void check_tables(const Question& question, Findings& findings);
void check_trace(const Question& question, Findings& findings);
void check_freshness(const Question& question, Findings& findings);
void check_steps(const Question& question, Findings& findings);
void check_totals(const Question& question, Findings& findings);
void check_communication(const Question& question, Findings& findings);
void check_pmu(const Question& question, Findings& findings);

// Judges what was gathered; `all_read` says that nothing was left out.
Assessment conclude(const std::vector<Profile>& profiles, const Expectations& expectations,
                    bool all_read);

}  // namespace npuprof::evidence
