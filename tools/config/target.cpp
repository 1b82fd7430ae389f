#include "config/target.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace npuprof {
namespace {

// Variables that decide what code runs, or as whom: a call never sets them, whatever the
// configuration says.
bool is_forbidden(std::string_view name) {
  constexpr std::array<std::string_view, 4> prefixes{"LD_", "PYTHON", "NPUPROF_", "BASH_"};
  constexpr std::array<std::string_view, 10> names{
      "PATH", "HOME",   "USER",       "SHELL",   "ENV",
      "IFS",  "TMPDIR", "GCONV_PATH", "LOGNAME", "SSH_AUTH_SOCK"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); }) ||
         std::find(names.begin(), names.end(), name) != names.end();
}

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool is_variable_name(std::string_view name) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         name.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

bool allows_env(const Target& target, const std::string& name) {
  return is_variable_name(name) && !is_forbidden(name) &&
         std::any_of(target.allow_env.begin(), target.allow_env.end(),
                     [&](const auto& pattern) { return matches(pattern, name); });
}

}  // namespace npuprof
