#pragma once

#include "core/error.hpp"

namespace npuprof::cli {

// What the program's exit status says. README.md documents these.
enum ExitCode : int {
  success = 0,       // it worked; for a run: its data may be used
  failure = 1,       // it was tried and failed, or the run's data may not be trusted
  usage = 2,         // nothing was tried: the command line, the JSON or the configuration is wrong
  interrupted = 130  // left on Ctrl-C
};

// The status for a call that failed with `error`.
ExitCode exit_code_of(const Error& error);

// The status for the structured result of a tool: success only for `ok` and, where there is a
// verdict, trust trusted or usable_with_care.
ExitCode exit_code_of(const Json& structured);

}  // namespace npuprof::cli
