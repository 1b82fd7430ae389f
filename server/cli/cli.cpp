#include "cli/cli.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/call_command.hpp"
#include "cli/demo_command.hpp"
#include "cli/doctor_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/inspect_command.hpp"
#include "cli/interrupt.hpp"
#include "cli/serve_command.hpp"
#include "config/config.hpp"
#include "toolset/toolset.hpp"

namespace npuprof::cli {
namespace {

struct CommonOptions {
  std::optional<std::filesystem::path> config;
  std::string log_level = "warn";
};

void set_up_logging(const std::string& level) {
  auto logger = spdlog::stderr_logger_mt("npuprof");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

int report(const Error& error) {
  std::cerr << failed(error).text << std::endl;
  return exit_code_of(error);
}

Result<Config> configuration(const CommonOptions& common) {
  const bool named = common.config.has_value() || std::getenv("NPUPROF_CONFIG") != nullptr;
  return load_config(config_path(common.config), named);
}

// Reads the configuration, wires the tools and hands both to `command`.
template <typename Command>
int with_tools(const Result<Config>& config, const Command& command) {
  if (!config) return report(config.error());
  const auto toolset = make_toolset(*config, real_clock());
  if (!toolset) return report(toolset.error());
  return command(*config, **toolset);
}

int serve(const CommonOptions& common, const ServeOptions& options) {
  const Interrupt interrupt;
  return with_tools(configuration(common), [&](const Config& config, Toolset& toolset) {
    toolset.resume_runs();
    return serve_command(config, toolset, options, interrupt.token());
  });
}

bool progress_is_seen() {
  return isatty(STDERR_FILENO) == 1;
}

int call(const CommonOptions& common, const CallOptions& options) {
  const Interrupt interrupt;
  return with_tools(configuration(common), [&](const Config&, Toolset& toolset) {
    return call_command(toolset.tools(), options,
                        {std::cin, std::cout, std::cerr, progress_is_seen()}, interrupt.token());
  });
}

int demo(DemoOptions options) {
  const auto host = find_simulated_host(options);
  if (!host) return report(host.error());
  const auto folder = demo_folder(options.directory);
  if (!folder) return report(folder.error());
  options.directory = *folder;
  const Interrupt interrupt;
  return with_tools(prepare_demo(options, *host), [&](const Config&, Toolset& toolset) {
    std::istringstream no_input;
    std::ostringstream record;
    const ExitCode code =
        call_command(toolset.tools(), demo_call(),
                     {no_input, record, std::cerr, progress_is_seen()}, interrupt.token());
    std::cout << demo_report(Json::parse(record.str())) << std::flush;
    return code;
  });
}

int doctor(const CommonOptions& common, bool as_json) {
  const Interrupt interrupt;
  return with_tools(configuration(common), [&](const Config& config, Toolset& toolset) {
    return doctor_command(config, toolset.tools(), as_json, std::cout, interrupt.token());
  });
}

constexpr char exit_statuses[] =
    "Exit status: 0 it worked, and a run's data may be used; 1 it was tried and failed, or the\n"
    "run's data may not be trusted; 2 nothing was tried (command line, JSON or configuration);\n"
    "130 ended by Ctrl-C.\n"
    "Results go to standard output, everything else to standard error.";

}  // namespace

int run(int argc, char** argv) {
  CLI::App app(
      "npuprof profiles a model on a remote Ascend NPU host and brings back verified data.",
      "npuprof");
  app.footer(exit_statuses);
  app.set_version_flag("--version", "npuprof " NPUPROF_VERSION);
  app.require_subcommand(1);

  CommonOptions common;
  app.add_option("--log-level", common.log_level, "What is logged to standard error")
      ->check(CLI::IsMember({"debug", "info", "warn", "err", "off"}))
      ->capture_default_str()
      ->envname("NPUPROF_LOG");
  const auto with_config = [&](CLI::App* command) {
    command->add_option("--config", common.config,
                        "Configuration (default: $NPUPROF_CONFIG, else "
                        "$XDG_CONFIG_HOME/npuprof/config.toml)");
    command->fallthrough();
    return command;
  };

  CLI::App* serve_app = with_config(app.add_subcommand(
      "serve", "Serve the tools (MCP, and bare JSON-RPC) over standard input and output or HTTP"));
  ServeOptions serve_options;
  serve_app
      ->add_option("--http", serve_options.listen,
                   "Serve over HTTP, at HOST:PORT (default: server.http.listen): MCP at /mcp, "
                   "JSON-RPC at /rpc")
      ->expected(0, 1);
  serve_app->add_flag("--without-token", serve_options.without_token,
                      "Ask HTTP clients for no token: anyone on this machine may use your targets");

  CallOptions call_options;
  CLI::App* call_app = with_config(app.add_subcommand(
      "call", "Call one tool to its end: JSON to standard output, progress to the terminal"));
  call_app
      ->add_option("tool", call_options.tool,
                   "precheck, collect_profile, fetch_artifact or cancel_run")
      ->required();
  call_app->add_option("--target", call_options.target, "Target of the configuration");
  call_app
      ->add_option("--json", call_options.json,
                   "The arguments: a JSON object, @FILE, or - for standard input")
      ->capture_default_str();

  DemoOptions demo_options;
  CLI::App* demo_app =
      app.add_subcommand("demo", "Profile a small model on a simulated Ascend host; needs no NPU");
  demo_app->fallthrough();
  demo_app->add_option("--simulated-host", demo_options.simulated_host,
                       "Folder of the simulated host (default: the installed or built-from one)");
  demo_app->add_option("--directory", demo_options.directory,
                       "Where workspace and artifact are kept (default: a new folder under $TMPDIR "
                       "or /tmp)");

  InspectOptions inspect_options;
  CLI::App* inspect_app =
      app.add_subcommand("inspect", "Check CANN profiler output that is on this machine");
  inspect_app->fallthrough();
  inspect_app->add_option("path", inspect_options.path, "Folder, or .tar.gz of one")->required();
  inspect_app->add_flag("--json", inspect_options.as_json, "Write one JSON document");
  inspect_app->add_option("--html", inspect_options.html, "Write a report to this file, too");

  bool doctor_json = false;
  CLI::App* doctor_app = with_config(app.add_subcommand(
      "doctor",
      "Is this machine ready: configuration, SSH files, and each target reached or why "
      "not"));
  doctor_app->add_flag("--json", doctor_json, "Write one JSON document");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? success : usage;
  }
  set_up_logging(common.log_level);
  if (*serve_app) {
    serve_options.http = serve_app->count("--http") > 0;
    if (serve_options.listen && serve_options.listen->empty()) serve_options.listen.reset();
    return serve(common, serve_options);
  }
  if (*call_app) return call(common, call_options);
  if (*doctor_app) return doctor(common, doctor_json);
  if (*demo_app) return demo(demo_options);
  const Interrupt interrupt;
  return inspect_command(inspect_options, std::cout, std::cerr, interrupt.token());
}

}  // namespace npuprof::cli
