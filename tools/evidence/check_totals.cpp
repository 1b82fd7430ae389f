#include <cmath>
#include <limits>

#include "evidence/findings.hpp"
#include "evidence/thresholds.hpp"

namespace npuprof::evidence {
namespace {

void disagree(Severity severity, std::string message, Json evidence, Findings& findings) {
  findings.anomaly("TOTALS_DISAGREE", severity, std::move(message), std::move(evidence),
                   "Rows are missing or were changed: fetch the tables again, or run the export "
                   "again.");
}

// What of `total` is missing, as a severity; nothing where it is rounding.
std::optional<Severity> shortfall(double part, double total, std::uint64_t rows) {
  const double missing = total - part;
  const double rounding = thresholds.totals_rounding_us * static_cast<double>(rows + 1);
  if (missing <= total * thresholds.totals_note_relative + rounding) return {};
  return missing > total * thresholds.totals_relative + rounding ? Severity::warning
                                                                 : Severity::info;
}

// Kernels of several streams overlap, so their sum may well exceed the time in which any ran; it
// can't fall short of it.
void check_computing(const Profile& profile, Findings& findings) {
  if (!profile.kernels || !profile.steps || profile.steps->steps.empty()) return;
  const KernelFacts& kernels = *profile.kernels;
  if (kernels.unreadable_rows > 0 || kernels.steps_cut) return;
  std::optional<Severity> worst;
  Json steps = Json::array();
  double computing = 0;
  double sum = 0;
  const auto compare = [&](std::optional<std::int64_t> step, double kernel_us, double total_us,
                           std::uint64_t rows) {
    computing += total_us;
    sum += kernel_us;
    const auto severity = shortfall(kernel_us, total_us, rows);
    if (severity && steps.size() < 20) {
      steps.push_back({{"step", step ? Json(*step) : Json()},
                       {"kernels_us", kernel_us},
                       {"computing_us", total_us}});
    }
    if (severity && (!worst || *severity > *worst)) worst = severity;
  };
  if (kernels.steps.empty()) {
    double total = 0;
    for (const auto& step : profile.steps->steps) total += step.computing;
    compare({}, kernels.compute.duration_us, total, kernels.rows);
  } else {
    for (const auto& step : profile.steps->steps) {
      if (!step.step) continue;
      const auto found = kernels.steps.find(*step.step);
      if (found == kernels.steps.end()) {
        compare(step.step, 0, step.computing, 0);
      } else {
        compare(step.step, found->second.compute_us, step.computing, found->second.rows);
      }
    }
  }
  Json evidence = {{"kernels_us", sum}, {"computing_us", computing}};
  if (!worst) {
    findings.check("kernels_against_computing", CheckStatus::pass,
                   "kernel durations account for the computing time of the steps", evidence);
    return;
  }
  evidence["steps"] = steps;
  findings.check("kernels_against_computing", CheckStatus::warn,
                 "kernel durations fall short of the computing time of the steps", evidence);
  disagree(*worst,
           "The kernels in kernel_details.csv fall short of Computing in step_trace_time.csv: rows "
           "are missing.",
           evidence, findings);
}

void check_parts(const Profile& profile, Findings& findings) {
  if (!profile.steps || profile.steps->steps.empty() || !profile.steps->missing_columns.empty()) {
    return;
  }
  Json odd = Json::array();
  for (const StepTimes& step : profile.steps->steps) {
    const double whole = step.stage + step.bubble;
    const double allowed = thresholds.step_parts_us + whole * thresholds.step_parts_relative;
    if (whole == 0 || std::abs(step.length() - whole) <= allowed) continue;
    if (odd.size() < 20) {
      odd.push_back({{"step", step.step ? Json(*step.step) : Json()},
                     {"parts_us", step.length()},
                     {"stage_and_bubble_us", whole}});
    }
  }
  if (odd.empty()) {
    findings.check("step_parts", CheckStatus::pass,
                   "computing, communication and free time of each step make up its length");
    return;
  }
  findings.check("step_parts", CheckStatus::warn, "the parts of a step do not make up its length",
                 {{"steps", odd}});
  disagree(Severity::warning,
           "Computing, Communication(Not Overlapped) and Free do not make up Stage and Bubble in "
           "step_trace_time.csv.",
           {{"steps", odd}}, findings);
}

void check_statistics(const Profile& profile, Findings& findings) {
  if (!profile.ops || !profile.ops->missing_columns.empty() || profile.ops->rows == 0) return;
  const OpFacts& ops = *profile.ops;
  const double devices =
      profile.kernels
          ? static_cast<double>(std::max<std::size_t>(1, profile.kernels->devices.size()))
          : 1.0;
  const double off = std::abs(ops.ratio_percent - 100.0 * devices);
  if (ops.ratio_percent > 0 && devices == 1 && off > thresholds.op_ratio_percent) {
    disagree(Severity::warning, "The ratios in op_statistic.csv do not add up to 100 %.",
             {{"sum_percent", ops.ratio_percent}}, findings);
  }
  if (!profile.kernels || profile.layout != Layout::torch_npu) return;
  const KernelFacts& kernels = *profile.kernels;
  if (!kernels.has_types || kernels.blank_step_rows > 0) return;
  const Json evidence = {{"op_statistic_kernels", ops.count},
                         {"kernel_details_rows", kernels.compute.rows},
                         {"op_statistic_us", ops.total_us},
                         {"kernel_details_us", kernels.compute.duration_us}};
  if (ops.count == kernels.compute.rows) {
    findings.check("kernels_against_op_statistic", CheckStatus::pass,
                   "op_statistic.csv counts the same kernels", evidence);
    return;
  }
  // The statistic is made from all kernels, the details from those within steps.
  const bool fewer = ops.count < kernels.compute.rows;
  const auto severity = shortfall(kernels.compute.duration_us, ops.total_us, kernels.rows);
  findings.check("kernels_against_op_statistic", CheckStatus::warn,
                 "op_statistic.csv counts other kernels than kernel_details.csv", evidence);
  disagree(fewer ? Severity::warning : severity.value_or(Severity::info),
           "op_statistic.csv counts " + std::to_string(ops.count) +
               " kernels, kernel_details.csv has " + std::to_string(kernels.compute.rows) + ".",
           evidence, findings);
}

void check_operators(const Profile& profile, Findings& findings) {
  const SourceFile* details = profile.file(FileKind::operator_details);
  if (details == nullptr || !details->table || !profile.trace) return;
  const SourceFile* trace = profile.file(FileKind::trace);
  if (trace == nullptr || !trace->trace || !trace->trace->whole) return;
  const std::uint64_t events = profile.trace->operator_events;
  const std::uint64_t rows = details->table->rows;
  if (events == 0) return;
  const Json evidence = {{"operator_details_rows", rows}, {"trace_operators", events}};
  if (rows == events) {
    findings.check("operators_against_trace", CheckStatus::pass,
                   "operator_details.csv has a row for each host operator of the trace", evidence);
    return;
  }
  findings.check("operators_against_trace", CheckStatus::warn,
                 "operator_details.csv and the trace do not hold the same operators", evidence);
  disagree(Severity::info,
           "operator_details.csv has " + std::to_string(rows) + " rows, the trace " +
               std::to_string(events) + " host operators.",
           evidence, findings);
}

void check_trace_overlap(const Profile& profile, Findings& findings) {
  if (!profile.trace || !profile.steps || profile.steps->steps.empty()) return;
  const SourceFile* file = profile.file(FileKind::trace);
  if (file == nullptr || !file->trace || !file->trace->whole) return;
  double trace_us = 0;
  bool found = false;
  for (const auto& [pid, process] : profile.trace->processes) {
    if (process.name != "Overlap Analysis") continue;
    found = true;
    trace_us += process.computing_us;
  }
  if (!found) return;
  double computing = 0;
  for (const auto& step : profile.steps->steps) computing += step.computing;
  const Json evidence = {{"trace_computing_us", trace_us}, {"step_computing_us", computing}};
  const auto missing = shortfall(trace_us, computing, profile.trace->complete_events);
  if (!missing) {
    findings.check("trace_against_computing", CheckStatus::pass,
                   "the trace's computing time covers that of the steps", evidence);
    return;
  }
  findings.check("trace_against_computing", CheckStatus::warn,
                 "the trace's computing time falls short of that of the steps", evidence);
  disagree(*missing, "The trace holds less computing time than step_trace_time.csv says.", evidence,
           findings);
}

void check_calls(const Profile& profile, Findings& findings) {
  if (!profile.api || !profile.api->calls.complete() || !profile.trace) return;
  const SourceFile* file = profile.file(FileKind::trace);
  if (file == nullptr || !file->trace || !file->trace->whole || profile.trace->cann_calls == 0)
    return;
  std::uint64_t counted = 0;
  for (const auto& [name, times] : profile.api->calls.values()) counted += times.count;
  std::uint64_t events = 0;
  for (const auto& [pid, process] : profile.trace->processes) {
    if (process.name == "CANN") events += process.events;
  }
  if (events == 0) return;
  const Json evidence = {{"api_statistic_calls", counted}, {"trace_calls", events}};
  if (counted >= events) {
    findings.check("calls_against_trace", CheckStatus::pass,
                   "api_statistic.csv counts the calls of the trace", evidence);
    return;
  }
  findings.check("calls_against_trace", CheckStatus::warn,
                 "api_statistic.csv counts fewer calls than the trace shows", evidence);
  disagree(Severity::info,
           "api_statistic.csv counts " + std::to_string(counted) + " calls, the trace shows " +
               std::to_string(events) + ".",
           evidence, findings);
}

}  // namespace

void check_totals(const Question& question, Findings& findings) {
  check_computing(question.profile, findings);
  check_parts(question.profile, findings);
  check_statistics(question.profile, findings);
  check_operators(question.profile, findings);
  check_trace_overlap(question.profile, findings);
  check_calls(question.profile, findings);
}

}  // namespace npuprof::evidence
