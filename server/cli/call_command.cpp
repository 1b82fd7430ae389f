#include "cli/call_command.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "cli/progress_bar.hpp"
#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"
#include "core/schema.hpp"

namespace npuprof::cli {
namespace {

constexpr std::size_t arguments_limit = 8 << 20;

Tool* find_tool(const std::vector<Tool*>& tools, std::string_view name) {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [&](const Tool* tool) { return tool->spec().name == name; });
  return found == tools.end() ? nullptr : *found;
}

Error unknown_tool(const std::vector<Tool*>& tools, const std::string& name) {
  std::string names;
  for (const Tool* tool : tools) names += (names.empty() ? "" : ", ") + tool->spec().name;
  return {.code = codes::invalid_arguments,
          .message = "There is no tool \"" + name + "\"; nothing was run.",
          .remedy = "Name one of: " + names + "."};
}

Result<std::string> read_arguments(const CallOptions& options, std::istream& in) {
  if (options.json == "-") {
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  if (options.json.starts_with('@')) {
    return read_local_file(options.json.substr(1), arguments_limit);
  }
  return options.json;
}

Result<Json> parse_arguments(const CallOptions& options, std::istream& in) {
  auto text = read_arguments(options, in);
  if (!text) return fail(std::move(text.error()));
  Json arguments;
  try {
    arguments = Json::parse(*text);
  } catch (const Json::parse_error& error) {
    std::string words = error.what();
    words.erase(0, std::min(words.size(), words.find("] ") + 2));
    return fail({.code = codes::invalid_arguments,
                 .message = "The arguments (--json) are not JSON: " + words + "; nothing was run.",
                 .remedy = "Quote the document for the shell, as in --json '{\"script\": "
                           "\"infer.py\"}', or read it from a file with --json @FILE."});
  }
  if (!arguments.is_object()) {
    return fail({.code = codes::invalid_arguments,
                 .message = "The arguments (--json) must be a JSON object; nothing was run.",
                 .remedy = "Give an object such as {\"script\": \"infer.py\"}."});
  }
  if (options.target) arguments["target"] = *options.target;
  return arguments;
}

ExitCode report(const Error& error, const CallStreams& streams) {
  const ToolResult result = failed(error);
  streams.out << result.structured.dump(2) << std::endl;
  streams.err << result.text << std::endl;
  return exit_code_of(error);
}

// The run that `structured` tells of, where it still goes on.
std::string run_to_cancel(const Json& structured) {
  const std::string state = structured.value("state", "");
  const bool ended = state == "captured" || state == "failed" || state == "cancelled" ||
                     state == "timed_out" || state == "lost";
  return ended ? "" : structured.value("run_id", "");
}

}  // namespace

ExitCode call_command(const std::vector<Tool*>& tools, const CallOptions& options,
                      const CallStreams& streams, const std::stop_token& stop) {
  Tool* const tool = find_tool(tools, options.tool);
  if (tool == nullptr) return report(unknown_tool(tools, options.tool), streams);
  const auto arguments = parse_arguments(options, streams.in);
  if (!arguments) return report(arguments.error(), streams);
  if (const auto checked = Schema::of(tool->spec().input_schema).check(*arguments); !checked) {
    return report(checked.error(), streams);
  }

  ProgressBar bar(streams.err, streams.progress);
  CallContext context{
      .stop = stop,
      .wait_to_end = true,
      .progress = [&](const Progress& progress) { bar.show(progress); },
  };
  ToolResult result = tool->call(*arguments, context);

  if (stop.stop_requested() && result.structured.is_object()) {
    const std::string run_id = run_to_cancel(result.structured);
    Tool* const cancel = find_tool(tools, "cancel_run");
    if (cancel != nullptr && !run_id.empty()) {
      bar.clear();
      streams.err << "Ending the run " << run_id << " (Ctrl-C again leaves at once) ..."
                  << std::endl;
      CallContext cancelling{.wait_to_end = true};
      result = cancel->call({{"run_id", run_id}}, cancelling);
    }
  }

  bar.clear();
  streams.out << result.structured.dump(2) << std::endl;
  if (result.is_error) streams.err << result.text << std::endl;
  const ExitCode code = exit_code_of(result.structured);
  if (stop.stop_requested()) return interrupted;
  return result.is_error && code == success ? failure : code;
}

}  // namespace npuprof::cli
