#include "run/request.hpp"

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "core/sha256.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::run {
namespace {

Error refused(const std::string& message, const std::string& remedy) {
  return {.code = codes::invalid_arguments,
          .message = "nothing was run: " + message,
          .remedy = remedy,
          .who = Who::agent};
}

bool has(const Json& arguments, const char* name) {
  return arguments.contains(name);
}

Result<std::string> way_of(const Json& arguments) {
  const int ways = static_cast<int>(has(arguments, "script")) +
                   static_cast<int>(has(arguments, "entry")) +
                   static_cast<int>(has(arguments, "service"));
  if (ways != 1) {
    return fail(refused(ways == 0 ? "no workload was named" : "more than one workload was named",
                        "Give one of script (with args, and hook for an unchanged program), entry "
                        "(with params), or service."));
  }
  if (has(arguments, "hook") && !has(arguments, "script") && !has(arguments, "service")) {
    return fail(refused("hook needs the program that is hooked", "Give script as well."));
  }
  if (has(arguments, "args") && !has(arguments, "script")) {
    return fail(refused("args go with script only", "Give params to an entry function."));
  }
  if (has(arguments, "params") && !has(arguments, "entry")) {
    return fail(refused("params go with entry only", "Give args to a script."));
  }
  if (has(arguments, "profile_dir") && (!has(arguments, "script") || has(arguments, "hook"))) {
    return fail(
        refused("profile_dir goes with a script that profiles itself only", "Leave it out."));
  }
  if (has(arguments, "service")) return "service";
  if (has(arguments, "entry")) return "entry";
  return has(arguments, "hook") ? "hook" : "script";
}

// Where a caller could smuggle what no program's argv, environment or path may hold.
bool holds_nul(const Json& value) {
  if (value.is_string()) {
    return value.get_ref<const std::string&>().find('\0') != std::string::npos;
  }
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), holds_nul);
}

// A path that stays below the directory it is relative to, links aside.
bool stays_below(const std::string& path) {
  const std::filesystem::path parts(path);
  return !parts.is_absolute() &&
         std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part == ".."; });
}

Result<void> check_env(const Json& arguments, const Target& target) {
  const Json env = arguments.value("env", Json::object());  // outlives what items() refers to
  for (const auto& [name, value] : env.items()) {
    if (allows_env(target, name)) continue;
    return fail(refused("the target " + target.name + " does not let a call set the variable " +
                            clean_host_text(name, 100),
                        "Leave it out, or let the user add it to allow_env of [targets." +
                            target.name + "] (LD_*, PYTHON* and PATH never pass)."));
  }
  return {};
}

Result<void> check_ranks(const Json& arguments, const std::string& way) {
  const auto processes = arguments["nproc_per_node"].get<int>();
  if (has(arguments, "device_ids") && arguments["backend"] == "cpu") {
    return fail(refused("a dry run on the CPU uses no device", "Leave device_ids out."));
  }
  if (has(arguments, "device_ids") &&
      arguments["device_ids"].size() != static_cast<std::size_t>(processes) && way != "service") {
    return fail(refused("device_ids names " + std::to_string(arguments["device_ids"].size()) +
                            " devices, but nproc_per_node is " + std::to_string(processes),
                        "Name one device a process."));
  }
  for (const auto& rank : arguments["ranks"]) {
    if (rank.get<int>() >= processes) {
      return fail(refused(
          "there is no rank " + rank.dump() + " among " + std::to_string(processes) + " processes",
          "Ranks go from 0 to nproc_per_node - 1."));
    }
  }
  if (arguments["backend"] == "cpu" && way != "entry" && way != "hook") {
    return fail(refused("a dry run on the CPU works with entry and hook only",
                        "Give the workload as entry, or as script with hook."));
  }
  return {};
}

// The defaults that the schema names, then those that depend on other fields.
Json with_defaults(Json arguments) {
  static const Json properties = schemas::load("collect_profile_input")["properties"];
  for (const auto& [name, property] : properties.items()) {
    if (!arguments.contains(name) && property.contains("default")) {
      arguments[name] = property["default"];
    }
  }
  if (!arguments.contains("warmup_steps")) {
    arguments["warmup_steps"] = arguments["compile"].get<bool>() ? 10 : 2;
  }
  return arguments;
}

}  // namespace

std::string Request::script() const {
  if (way == "script" || way == "hook") return arguments.value("script", "");
  if (way != "entry") return "";
  const auto entry = arguments["entry"].get<std::string>();
  const auto file = entry.substr(0, entry.rfind(':'));
  return file.ends_with(".py") ? file : "";
}

std::string Request::digest() const {
  Json same = arguments;
  same.erase("run_key");
  return sha256_hex(same.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<Request> read_request(const Json& arguments, const Config& config) {
  auto target = find_target(config, arguments.value("target", ""));
  if (!target) return fail(target.error());
  if (holds_nul(arguments)) {
    return fail(refused("an argument holds a NUL character", "Leave it out."));
  }
  auto way = way_of(arguments);
  if (!way) return fail(way.error());
  if (*way == "entry") {
    const auto entry = arguments["entry"].get<std::string>();
    const auto colon = entry.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == entry.size()) {
      return fail(refused("entry does not name a function",
                          "Write path.py:function or package.module:function."));
    }
  }
  if (!stays_below(arguments.value("profile_dir", "profile_l1"))) {
    return fail(refused("profile_dir leads out of the workspace",
                        "Give a directory relative to the workspace."));
  }
  Request request{.target = *target, .way = *way, .arguments = with_defaults(arguments)};
  request.arguments["target"] = (*target)->name;
  request.arguments.erase("wait_s");
  if (auto allowed = check_env(request.arguments, **target); !allowed) {
    return fail(allowed.error());
  }
  if (auto ranks = check_ranks(request.arguments, *way); !ranks) return fail(ranks.error());
  return request;
}

}  // namespace npuprof::run
