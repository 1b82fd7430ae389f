#include "host/launch.hpp"

#include <openssl/evp.h>

#include "host/announcement.hpp"
#include "host/tracked_process.hpp"

namespace npuprof {

const std::string_view launcher =
    R"sh(exec /bin/sh -c 'IFS= read -r c; eval "$(echo "$c" | base64 -d)"')sh";

// The script's own environment does not carry the marker, so it never finds itself.
const std::string_view end_tree_script = R"sh(m=$1 g=$2
all() { grep -lF "NPUPROF_COMMAND=$m" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'; }
signal() {
  p=$(all)
  [ -n "$p" ] && kill "-$1" $p 2>/dev/null
  [ -n "$g" ] && kill "-$1" -- "-$g" 2>/dev/null || [ -n "$p" ]
}
signal TERM || exit 0
for i in 1 2 3 4 5; do
  sleep 0.1
  signal 0 || exit 0
done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  signal KILL || exit 0
  sleep 0.1
done
exit 1
)sh";

std::string shell_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += byte;
    }
  }
  return quoted + "'";
}

std::string launch_prologue(const Command& command, const std::string& marker) {
  std::string script = std::string(command_variable) + "=" + marker + "; export " +
                       std::string(command_variable) + "\n";
  for (const auto& [name, value] : command.env) {
    script += name + "=" + shell_quote(value) + "; export " + name + "\n";
  }
  script += Announcement::script(marker) + "\n";
  if (!command.cwd.empty()) script += "cd " + shell_quote(command.cwd) + " || exit 126\n";
  return script;
}

std::string launch_script(const Command& command, const std::string& marker) {
  std::string script = launch_prologue(command, marker) + "exec";
  for (const auto& argument : command.argv) script += " " + shell_quote(argument);
  return script + "\n";
}

std::string launch_line(std::string_view script) {
  std::string line((script.size() + 2) / 3 * 4 + 1, '\0');
  const int length = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(line.data()),
                                       reinterpret_cast<const unsigned char*>(script.data()),
                                       static_cast<int>(script.size()));
  line.resize(static_cast<std::size_t>(length));
  return line + "\n";
}

}  // namespace npuprof
