#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace npuprof::ascend {

// A part of what probe.sh printed.
struct Section {
  std::string name;           // "info", "file /etc/os-release"
  std::string text;           // raw
  std::optional<int> status;  // of a command whose output was not cut
};

// The document that probe.sh prints, taken apart.
struct ProbeDocument {
  std::map<std::string, std::vector<Section>> fields;
  bool complete = false;

  // The section of a field by its whole name, or nothing.
  const Section* find(const std::string& field, std::string_view name) const;
  // Its text without blanks and newlines at either end, or "".
  std::string text(const std::string& field, std::string_view name) const;
};

// Finds the document in what came over standard output (a login shell may print before it), also
// one that breaks off. COMMAND_FAILED with the beginning of the text where there is none.
Result<ProbeDocument> parse_probe_document(std::string_view printed);

}  // namespace npuprof::ascend
