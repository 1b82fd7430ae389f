#include "cli/doctor_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>

#include "cli/record_text.hpp"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

Check configuration(const Config& config) {
  if (config.targets.empty()) {
    return {.id = "configuration",
            .status = CheckStatus::warn,
            .message = config.file.empty() ? "no configuration file, so no target"
                                           : config.file.string() + " names no target",
            .remedy = "Write " + config_path(std::nullopt).string() +
                      " with a [targets.NAME] table (docs/configuration.md)."};
  }
  return {.id = "configuration",
          .status = CheckStatus::pass,
          .message = fmt::format("{}, {} target{}", config.file.string(), config.targets.size(),
                                 config.targets.size() == 1 ? "" : "s")};
}

// The folder itself, or the nearest one above it that exists.
fs::path existing_part(fs::path path) {
  std::error_code ignored;
  while (!path.empty() && path != path.parent_path() && !fs::exists(path, ignored)) {
    path = path.parent_path();
  }
  return path;
}

Check data_folder(const Config& config) {
  const fs::path there = existing_part(config.data_dir);
  if (!fs::is_directory(there) || access(there.c_str(), W_OK | X_OK) != 0) {
    return {.id = "data_dir",
            .status = CheckStatus::fail,
            .message = there.string() + " can't be written, so runs can't be kept in " +
                       config.data_dir.string(),
            .remedy = "Name another folder as server.data_dir."};
  }
  std::error_code error;
  const auto space = fs::space(there, error);
  if (error) {
    return {.id = "data_dir",
            .status = CheckStatus::unknown,
            .message = config.data_dir.string() + ": free space unknown: " + error.message()};
  }
  constexpr std::uintmax_t enough = 2'000'000'000;
  return {.id = "data_dir",
          .status = space.available < enough ? CheckStatus::warn : CheckStatus::pass,
          .message = config.data_dir.string() + ", " + readable_bytes(space.available) + " free",
          .remedy = space.available < enough
                        ? "A large profile needs several GB: free some space or move data_dir."
                        : ""};
}

// A private key that others can read is refused by ssh too.
Check private_key(const std::string& id, const fs::path& key) {
  struct stat info = {};
  if (stat(key.c_str(), &info) != 0 || access(key.c_str(), R_OK) != 0) {
    return {.id = id,
            .status = CheckStatus::fail,
            .message = "the key " + key.string() + " can't be read",
            .remedy = "Correct identity_file, or make the key readable for you alone."};
  }
  if ((info.st_mode & 077U) != 0) {
    return {.id = id,
            .status = CheckStatus::warn,
            .message = fmt::format("the key {} is open to others (mode {:04o})", key.string(),
                                   info.st_mode & 07777U),
            .remedy = "chmod 600 " + key.string()};
  }
  return {.id = id, .status = CheckStatus::pass, .message = "key " + key.string()};
}

Check readable_file(const std::string& id, const std::string& what, const fs::path& file,
                    const std::string& remedy) {
  const bool readable = access(file.c_str(), R_OK) == 0;
  return {.id = id,
          .status = readable ? CheckStatus::pass : CheckStatus::fail,
          .message = what + " " + file.string() + (readable ? "" : " can't be read"),
          .remedy = readable ? "" : remedy};
}

fs::path home_file(const char* below) {
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "/" : home) / below;
}

void ssh_files(const Target& target, std::vector<Check>& checks) {
  const std::string prefix = "targets." + target.name + ".";
  if (!target.identity_file.empty()) {
    checks.push_back(private_key(prefix + "identity_file", target.identity_file));
  }
  const fs::path known =
      target.known_hosts.empty() ? home_file(".ssh/known_hosts") : target.known_hosts;
  checks.push_back(readable_file(
      prefix + "known_hosts", "host keys", known,
      "Connect once with ssh and compare the fingerprint: an unknown host key is refused."));
  if (!target.ssh_config.empty()) {
    checks.push_back(readable_file(prefix + "ssh_config", "ssh configuration", target.ssh_config,
                                   "Correct ssh_config, or leave it out."));
  }
  const bool asks_agent = target.identity_file.empty() && target.password_env.empty() &&
                          target.password_command.empty();
  if (asks_agent && target.identity_agent.empty() && std::getenv("SSH_AUTH_SOCK") == nullptr) {
    checks.push_back({.id = prefix + "agent",
                      .status = CheckStatus::warn,
                      .message = "no key is named, and no agent is in sight (SSH_AUTH_SOCK)",
                      .remedy = "Name identity_file or identity_agent: clients start npuprof "
                                "without SSH_AUTH_SOCK."});
  }
  if (!target.password_env.empty() && std::getenv(target.password_env.c_str()) == nullptr) {
    checks.push_back({.id = prefix + "password_env",
                      .status = CheckStatus::fail,
                      .message = "the variable " + target.password_env + " is not set here",
                      .remedy = "Export it where npuprof is started."});
  }
}

void write_check(std::ostream& out, std::string_view id, std::string_view status,
                 std::string_view message, std::string_view remedy) {
  out << fmt::format("  {:<8} {:<24} {}\n", status, id, message);
  if (!remedy.empty() && status != "pass")
    out << fmt::format("  {:<8} {:<24} -> {}\n", "", "", remedy);
}

void write_target(std::ostream& out, const std::string& name, const Json& report) {
  out << name << "\n";
  if (const auto checks = report.find("checks"); checks != report.end() && checks->is_array()) {
    for (const Json& check : *checks) {
      write_check(out, check.value("id", ""), check.value("status", ""), check.value("message", ""),
                  check.value("remedy", ""));
    }
  }
  if (const auto error = report.find("error"); error != report.end() && error->is_object()) {
    write_check(out, error->value("code", ""), "error", error->value("message", ""),
                error->value("remedy", ""));
  }
}

Json look_at(Tool& precheck, const std::string& target, const std::stop_token& stop) {
  CallContext context{.stop = stop, .wait_to_end = true};
  return precheck.call({{"target", target}}, context).structured;
}

}  // namespace

std::vector<Check> check_this_machine(const Config& config) {
  std::vector<Check> checks{configuration(config), data_folder(config)};
  for (const auto& [name, target] : config.targets) {
    if (target.kind == TargetKind::ssh) ssh_files(target, checks);
  }
  return checks;
}

ExitCode doctor_command(const Config& config, const std::vector<Tool*>& tools, bool as_json,
                        std::ostream& out, const std::stop_token& stop) {
  const auto precheck = std::find_if(
      tools.begin(), tools.end(), [](const Tool* tool) { return tool->spec().name == "precheck"; });
  const std::vector<Check> here = check_this_machine(config);

  std::map<std::string, std::future<Json>> looks;
  if (precheck != tools.end()) {
    for (const auto& [name, target] : config.targets) {
      looks.emplace(name,
                    std::async(std::launch::async, look_at, std::ref(**precheck), name, stop));
    }
  }
  bool ready = std::none_of(here.begin(), here.end(),
                            [](const Check& check) { return check.status == CheckStatus::fail; });
  Json targets = Json::object();
  for (auto& [name, look] : looks) {
    targets[name] = look.get();
    ready = ready && exit_code_of(targets[name]) == success;
  }

  if (as_json) {
    out << Json{{"ok", ready}, {"checks", here}, {"targets", targets}}.dump(2) << std::endl;
    return ready ? success : failure;
  }
  out << "this machine\n";
  for (const Check& check : here) {
    write_check(out, check.id, to_string(check.status), check.message, check.remedy);
  }
  for (const auto& [name, report] : targets.items()) write_target(out, name, report);
  out << (ready ? "Ready." : "Not ready: see the lines above that are not pass.") << std::endl;
  return ready ? success : failure;
}

}  // namespace npuprof::cli
