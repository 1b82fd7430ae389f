#include "run/launch.hpp"

#include <sstream>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "run/host_python.hpp"
#include "runner/runner.hpp"

namespace npuprof::run {

std::string_view embedded(std::string_view name);

namespace {

using namespace std::chrono_literals;

// The JSON object in what a program printed: whatever a sourced script said before it is skipped.
std::optional<Json> last_json_line(const std::string& out) {
  std::istringstream lines(out);
  std::optional<Json> found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;
    auto parsed = Json::parse(line, nullptr, false);
    if (parsed.is_object()) found = std::move(parsed);
  }
  return found;
}

std::string words(const CommandOutput& said) {
  const auto text = clean_host_text(said.err.empty() ? said.out : said.err, 1000);
  return text.empty() ? "it said nothing" : "it said: " + text;
}

std::string text_of(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name].is_string()
             ? object[name].get<std::string>()
             : "";
}

Error refused(const Json& error, const std::string& host) {
  const auto code = text_of(error, "code");
  return {.code = code.empty() ? codes::command_failed : clean_host_text(code, 60),
          .message = "the run was not started on " + host + ": " +
                     clean_host_text(text_of(error, "message"), 1000),
          .remedy = clean_host_text(text_of(error, "remedy"), 500)};
}

}  // namespace

Result<Json> launch(Host& host, const Target& target, const Launch& what,
                    const std::stop_token& stop) {
  Json files = {{"job.json", what.job.dump(1)}};
  for (const auto& file : runner::files()) files[std::string(file.name)] = file.text;
  const auto run_dir = what.job["run_dir"].get<std::string>();
  auto command = host_python(
      target, what.set_env,
      {"-c", std::string(embedded("bootstrap.py")), run_dir, what.again ? "again" : "new"});
  command.cwd = what.job["workspace"].get<std::string>();
  command.timeout = 120s;
  auto said = host.capture(command, Json{{"files", std::move(files)}}.dump(), stop, 1 << 20);
  if (!said) return fail(said.error());
  const auto line = last_json_line(said->out);
  if (!line) {
    return fail({.code = codes::command_failed,
                 .message = "the run was not started on " + host.description() + ": " +
                            target.python + " ended with status " +
                            std::to_string(said->exit.status) + "; " + words(*said),
                 .remedy = "npuprof needs Python 3.8 or later there; `python` under [targets." +
                           target.name + "] says which one is used."});
  }
  if (line->contains("ok") && (*line)["ok"] == true) return *line;
  return fail(refused(line->value("error", Json::object()), host.description()));
}

Result<Json> cancel_on_host(Host& host, const Target& target, const std::string& run_dir,
                            const std::stop_token& stop) {
  auto command = host_python(
      target, {}, {run_dir + "/" + std::string(runner::supervisor_file), "cancel", run_dir});
  command.timeout = 120s;
  auto said = host.capture(command, {}, stop, 1 << 20);
  if (!said) return fail(said.error());
  if (auto line = last_json_line(said->out); line && line->contains("state")) return *line;
  auto found = host.stat(run_dir);
  if (!found && found.error().code == codes::not_found) {
    return fail({.code = codes::not_found,
                 .message = host.description() + " knows nothing of the run: " + run_dir +
                            " is not there"});
  }
  return fail({.code = codes::command_failed,
               .message = "the run could not be ended on " + host.description() + ": status " +
                          std::to_string(said->exit.status) + "; " + words(*said),
               .retryable = true});
}

}  // namespace npuprof::run
