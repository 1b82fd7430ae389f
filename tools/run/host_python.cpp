#include "run/host_python.hpp"

#include "ascend/probe.hpp"

namespace npuprof::run {
namespace {

// bash where there is one: CANN's set_env.sh is written for it, and ends a dash.
constexpr char in_bash[] =
    "shell=sh; command -v bash >/dev/null 2>&1 && shell=bash; exec $shell -c \"$@\"";

}  // namespace

Command host_python(const Target& target, const std::vector<std::string>& set_env,
                    std::vector<std::string> arguments) {
  Command command{
      .argv = {"sh", "-c", in_bash, "npuprof",
               ascend::environment_prologue(set_env, target.path_prepend) + "\nexec \"$@\"",
               "npuprof", target.python}};
  command.argv.insert(command.argv.end(), std::make_move_iterator(arguments.begin()),
                      std::make_move_iterator(arguments.end()));
  return command;
}

bool is_simulated(Host& host, const Target& target, const std::stop_token& stop) {
  auto said = host.shell(ascend::environment_prologue(target.set_env, target.path_prepend) +
                             "\nprintf '%s' \"${NPUPROF_SIMULATED_HOST:+simulated}\"",
                         {}, {}, stop);
  return said && said->out.ends_with("simulated");
}

}  // namespace npuprof::run
