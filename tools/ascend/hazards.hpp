#pragma once

#include <string>
#include <vector>

#include "ascend/versions.hpp"
#include "core/check.hpp"

namespace npuprof::ascend {

// What is known to go wrong with certain versions (hazards.json).
struct Hazard {
  std::string id;          // stable: "stack_capture_kills_workers"
  std::string title;       // what happens
  std::string workaround;  // what npuprof does, or what to do
  // Settings that npuprof takes over the caller's ("with_stack": false), each named as in
  // collect_profile's input; empty where there is nothing to set.
  Json settings = Json::object();
  // When a caller should care: "always", "multi_rank", "multi_node", "with_stack", "daemon", ...
  std::vector<std::string> applies_to;
  bool handled = false;  // npuprof's own way of working avoids it
  Severity severity = Severity::warning;
  std::string source;  // where it was reported
};

// The hazards of the versions found. A hazard whose version is not known applies, with
// `certain` false.
struct FoundHazard {
  Hazard hazard;
  bool certain = true;
};
std::vector<FoundHazard> hazards_for(const Versions& versions);

}  // namespace npuprof::ascend
