#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>

#include "cli/call_command.hpp"
#include "config/config.hpp"

namespace npuprof::cli {

struct DemoOptions {
  std::optional<std::filesystem::path> simulated_host;  // examples/simulated_host or a copy of it
  std::filesystem::path directory;  // workspace, leases and runs are kept below it
};

// The folder that the demonstration is kept in: `named`, made if need be, else a new one under
// $TMPDIR or /tmp, which stays.
Result<std::filesystem::path> demo_folder(const std::filesystem::path& named);

// Where examples/simulated_host is: the named place, else beside the installed program, else the
// source tree that the program was built from.
Result<std::filesystem::path> find_simulated_host(const DemoOptions& options);

// Makes the demonstration's workspace (anew, with the example's model in it) and gives the
// configuration with the one target "demo".
Result<Config> prepare_demo(const DemoOptions& options,
                            const std::filesystem::path& simulated_host);

// The call of collect_profile for the example's model.
CallOptions demo_call();

// What the demonstration says of a finished run.
std::string demo_report(const Json& record);

}  // namespace npuprof::cli
