#pragma once

#include <string>
#include <vector>

#include "precheck/devices.hpp"
#include "precheck/precheck.hpp"

// The checks of a host that could be looked at, by what they look at. Each function gives its
// checks in a fixed order, whatever it finds.
namespace npuprof::precheck {

struct Findings {
  const Target& target;
  const Options& options;
  const ascend::HostFacts& facts;
  ascend::InfoTable table;
  DeviceMap map;  // states judged
  ascend::Versions versions;
  ascend::CannVersion cann;  // of the installation that counts
  std::string cann_path;
};

std::vector<Check> device_checks(const Findings& findings);
std::vector<Check> software_checks(const Findings& findings);
std::vector<Check> python_checks(const Findings& findings);
std::vector<Check> place_checks(const Findings& findings);

// Every id that the functions above and run_precheck give, in the report's order.
const std::vector<std::string>& check_ids();

Check passed(std::string id, std::string message, Json evidence = nullptr);
Check skipped(std::string id, std::string message);
Check unknown(std::string id, std::string message, Json evidence = nullptr, std::string remedy = {},
              Who who = Who::user);
Check warned(std::string id, std::string message, Json evidence, std::string remedy,
             Who who = Who::user);
Check failed(std::string id, std::string message, Json evidence, std::string remedy,
             Who who = Who::user);

// Text of a host made fit for evidence.
Json evidence_text(std::string_view text, std::size_t limit = 400);

}  // namespace npuprof::precheck
