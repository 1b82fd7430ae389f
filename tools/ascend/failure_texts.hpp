#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"

namespace npuprof::ascend {

// A text that Ascend software is known to fail with (failure_texts.json).
struct KnownFailure {
  std::string id;     // stable: "npu_smi_8005"
  std::string check;  // id of the check that it answers: "npu_smi", "torch_npu_import", ...
  CheckStatus status = CheckStatus::fail;
  std::string message;
  std::string remedy;
  Who who = Who::user;
};

// Every known failure of one place ("npu_smi", "python", "workload") whose words are
// all in `text`, whatever their case; the most specific first.
std::vector<KnownFailure> known_failures(std::string_view place, std::string_view text);

// The line of `text` (cleaned, at most 300 bytes) that a known failure was recognised by; empty
// where none was.
std::string telling_line(std::string_view place, std::string_view text);

}  // namespace npuprof::ascend
