#include "cli/demo_command.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "cli/record_text.hpp"
#include "core/error_codes.hpp"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path();
}

bool is_simulated_host(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "set_env.sh", ignored);
}

}  // namespace

Result<fs::path> demo_folder(const fs::path& named) {
  std::error_code error;
  fs::path folder;
  if (named.empty()) {
    std::string made = (fs::temp_directory_path() / "npuprof-demo-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) error.assign(errno, std::generic_category());
    folder = made;
  } else {
    folder = fs::absolute(named).lexically_normal();
    fs::create_directories(folder, error);
  }
  if (!error) return folder;
  return fail({.code = codes::io_error,
               .message = "The folder " + folder.string() +
                          " could not be made: " + error.message() + "; nothing was run.",
               .remedy = "Name a folder that can be written with --directory."});
}

Result<fs::path> find_simulated_host(const DemoOptions& options) {
  if (options.simulated_host) {
    const fs::path named = fs::absolute(*options.simulated_host).lexically_normal();
    if (is_simulated_host(named)) return named;
    return fail({.code = codes::not_found,
                 .message = named.string() + " is no simulated host (it has no set_env.sh); "
                                             "nothing was run.",
                 .remedy = "Name the examples/simulated_host folder of an npuprof checkout."});
  }
  for (const fs::path& folder : {program_folder() / "../share/npuprof/simulated_host",
                                 fs::path(NPUPROF_SOURCE_DIR "/examples/simulated_host")}) {
    if (is_simulated_host(folder)) return fs::weakly_canonical(folder);
  }
  return fail({.code = codes::not_found,
               .message = "The simulated host is neither installed nor in the source tree; nothing "
                          "was run.",
               .remedy = "Name it with --simulated-host DIR (examples/simulated_host of an npuprof "
                         "checkout)."});
}

Result<Config> prepare_demo(const DemoOptions& options, const fs::path& simulated_host) {
  const fs::path workspace = options.directory / "workspace";
  std::error_code error;
  fs::create_directories(workspace, error);
  // Its files alone: where it served as a workspace itself there are runs below it, with sockets.
  for (auto file = fs::directory_iterator(simulated_host / "workspace", error);
       !error && file != fs::directory_iterator(); file.increment(error)) {
    if (!file->is_regular_file()) continue;
    fs::copy_file(file->path(), workspace / file->path().filename(),
                  fs::copy_options::overwrite_existing, error);
    if (error) break;
  }
  if (error) {
    return fail({.code = codes::io_error,
                 .message = "The demonstration's workspace " + workspace.string() +
                            " could not be made: " + error.message() + "; nothing was run.",
                 .remedy = "Name a folder that can be written with --directory."});
  }
  Target target;
  target.name = "demo";
  target.kind = TargetKind::local;
  target.workspace = workspace.string();
  target.set_env = {(simulated_host / "set_env.sh").string()};
  target.path_prepend = {(simulated_host / "bin").string()};
  target.lease_dir = (options.directory / "leases").string();
  target.allow_env = {"SIMULATED_NPU_FAULTS"};

  Config config;
  config.default_target = target.name;
  config.targets.emplace(target.name, std::move(target));
  config.data_dir = options.directory / "data";
  config.http.token_file = config.data_dir / "http_token";
  return config;
}

CallOptions demo_call() {
  return {.tool = "collect_profile", .json = Json{{"entry", "denoise.py:build"}}.dump()};
}

std::string demo_report(const Json& record) {
  std::string out =
      "\nThe device is SIMULATED (examples/simulated_host): no NPU was used, and the figures say "
      "nothing of any hardware.\n\n";
  out += record_in_short(record);
  return out;
}

}  // namespace npuprof::cli
