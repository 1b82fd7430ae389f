#include "host/command_rules.hpp"

#include <algorithm>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof {
namespace {

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool is_variable_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

tl::unexpected<Error> illegal(std::string message) {
  return fail({.code = codes::invalid_arguments,
               .message = std::move(message) + " Nothing was started.",
               .remedy = "Mend the command.",
               .who = Who::agent});
}

}  // namespace

Result<void> check_command(const Command& command) {
  if (command.argv.empty() || command.argv.front().empty()) return illegal("No program is named.");
  if (std::any_of(command.argv.begin(), command.argv.end(), has_nul) || has_nul(command.cwd)) {
    return illegal("A command's arguments can't hold a NUL byte.");
  }
  for (const auto& [name, value] : command.env) {
    if (!is_variable_name(name)) {
      return illegal("\"" + clean_host_text(name, 100) + "\" is no name for a variable.");
    }
    if (has_nul(value)) return illegal("The variable " + name + " can't hold a NUL byte.");
  }
  return {};
}

}  // namespace npuprof
