#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace npuprof::evidence {

// What communication.json or communication_matrix.json holds.
struct CommunicationFacts {
  bool whole = false;            // well-formed JSON to its end
  std::string problem;           // why not
  std::uint64_t operations = 0;  // over all steps, totals left out
  std::uint64_t totals = 0;      // "Total Op Info" entries
  std::set<std::string> steps;   // "step50", or "step" where there is no schedule; at most 10,000
  double elapsed_ms = 0;         // of the operations, where the file says it
};

CommunicationFacts read_communication(std::string_view text);

}  // namespace npuprof::evidence
