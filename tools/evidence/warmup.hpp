#pragma once

#include <string>
#include <vector>

#include "evidence/findings.hpp"

namespace npuprof::evidence {

// Something that speaks for or against warm-up being kept out of the window. `weight` 0 tells
// nothing by itself, 3 decides.
struct WarmupEvidence {
  std::string kind;  // "schedule", "step_times", "compile_calls", ...
  WarmupVerdict says = WarmupVerdict::unknown;
  int weight = 0;
  std::string message;
  Json figures = Json::object();
};

// Weighs the evidence of one profile and adds the anomalies that follow from it:
// WARMUP_NOT_STRIPPED, WARMUP_INSUFFICIENT, COMPILE_IN_WINDOW, NOT_ASSESSABLE.
Warmup judge_warmup(const Question& question, Findings& findings);

// The kinds of evidence; each adds what it found, or nothing.
using EvidenceList = std::vector<WarmupEvidence>;
void add_step_evidence(const Question& question, EvidenceList& out);     // schedule, step times
void add_compile_evidence(const Question& question, EvidenceList& out);  // calls, loads, dynamo
void add_gap_evidence(const Question& question, EvidenceList& out);  // waits before first kernels

// Lengths of the window's steps in milliseconds, in order, and where they are from; empty where
// nothing says.
struct WindowSteps {
  std::vector<double> ms;
  std::string source;
};
WindowSteps window_steps(const Question& question);

}  // namespace npuprof::evidence
