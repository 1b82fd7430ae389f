#include "cli/exit_code.hpp"

#include "core/error_codes.hpp"

namespace npuprof::cli {

ExitCode exit_code_of(const Error& error) {
  for (const std::string_view code : {codes::invalid_arguments, codes::config_invalid,
                                      codes::target_unknown, codes::target_ambiguous}) {
    if (error.code == code) return usage;
  }
  return failure;
}

ExitCode exit_code_of(const Json& structured) {
  if (!structured.is_object()) return failure;
  if (const auto error = structured.find("error");
      error != structured.end() && error->is_object()) {
    return exit_code_of(error->get<Error>());
  }
  if (structured.value("ok", Json(false)) != Json(true)) return failure;
  const auto verdict = structured.find("verdict");
  if (verdict == structured.end() || !verdict->is_object()) return success;
  const Json trust = verdict->value("trust", Json(nullptr));
  return trust == "trusted" || trust == "usable_with_care" ? success : failure;
}

}  // namespace npuprof::cli
