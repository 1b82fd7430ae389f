#include "core/check.hpp"

namespace npuprof {

std::string_view to_string(CheckStatus status) {
  switch (status) {
    case CheckStatus::pass:
      return "pass";
    case CheckStatus::warn:
      return "warn";
    case CheckStatus::fail:
      return "fail";
    case CheckStatus::skip:
      return "skip";
    case CheckStatus::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

void to_json(Json& out, const Check& check) {
  out = {{"id", check.id}, {"status", to_string(check.status)}, {"message", check.message}};
  if (!check.evidence.is_null()) out["evidence"] = check.evidence;
  if (!check.remedy.empty()) {
    out["remedy"] = check.remedy;
    out["who"] = to_string(check.who);
  }
}

void to_json(Json& out, const Anomaly& anomaly) {
  out = {{"code", anomaly.code},
         {"severity", to_string(anomaly.severity)},
         {"message", anomaly.message},
         {"evidence", anomaly.evidence},
         {"remedy", anomaly.remedy}};
}

}  // namespace npuprof
