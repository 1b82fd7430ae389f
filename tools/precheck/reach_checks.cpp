#include "precheck/reach_checks.hpp"

#include <array>

#include "core/error_codes.hpp"
#include "precheck/checks.hpp"

namespace npuprof::precheck {
namespace {

constexpr std::array steps = {"connection", "host_key", "login", "container"};

bool applies(const Target& target, std::string_view step) {
  if (step == "container") return !target.container.empty();
  return target.kind == TargetKind::ssh || step == "connection";
}

Check passed_step(const Target& target, const std::string& step) {
  if (!applies(target, step)) {
    return skipped(
        step, step == "container" ? "no container is configured" : "the target is this machine");
  }
  if (step == "connection") {
    return passed(step, target.kind == TargetKind::local ? "this machine" : "connected");
  }
  if (step == "host_key") return passed(step, "known");
  if (step == "login") return passed(step, "accepted");
  return passed(step, target.container + " runs");
}

std::string step_of(const std::string& code) {
  if (code == codes::host_key_unknown || code == codes::host_key_changed) return "host_key";
  if (code == codes::auth_failed) return "login";
  if (code == codes::container_unavailable) return "container";
  return "connection";
}

Check failed_step(const std::string& step, const Error& error) {
  Json evidence = {{"code", error.code}};
  if (!error.details.is_null()) evidence["details"] = error.details;
  return failed(step, error.message, std::move(evidence), error.remedy, error.who);
}

}  // namespace

std::vector<Check> reached(const Target& target) {
  std::vector<Check> checks;
  for (const auto* step : steps) checks.push_back(passed_step(target, step));
  return checks;
}

std::vector<Check> not_reached(const Target& target, const Error& error) {
  std::vector<Check> checks;
  if (error.code == codes::cancelled) {
    for (const auto* step : steps) checks.push_back(unknown(step, "the call was cancelled"));
    return checks;
  }
  const auto broken = step_of(error.code);
  bool before = true;
  for (const auto* step : steps) {
    if (step == broken) {
      before = false;
      checks.push_back(failed_step(step, error));
    } else if (before) {
      checks.push_back(passed_step(target, step));
    } else {
      checks.push_back(skipped(
          step, applies(target, step) ? "not reached: " + broken + " failed" : "does not apply"));
    }
  }
  return checks;
}

}  // namespace npuprof::precheck
