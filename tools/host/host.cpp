#include "host/host.hpp"

#include <charconv>

#include "core/error_codes.hpp"
#include "host/file_commands.hpp"
#include "host/token.hpp"

namespace npuprof {
namespace {

constexpr auto far_away = std::chrono::hours(24);
constexpr std::size_t room_for_errors = 64 << 10;
constexpr std::size_t list_limit = 64 << 20;

std::string octal(unsigned mode) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, mode, 8).ptr;
  return std::string(digits, end);
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// A command of the host's /bin/sh -c with `args` as $1, $2, ...
Command script_command(std::string_view script, const std::vector<std::string>& args,
                       std::chrono::milliseconds timeout) {
  Command command;
  command.argv = {"/bin/sh", "-c", std::string(script), "sh"};
  command.argv.insert(command.argv.end(), args.begin(), args.end());
  command.timeout = timeout;
  return command;
}

}  // namespace

Result<Exit> Host::run(const Command& command, std::string_view stdin_bytes, const Sink& out,
                       const Sink& err, const std::stop_token& stop) {
  auto started = start(command, stop);
  if (!started) return fail(std::move(started.error()));
  Process& process = **started;
  if (!stdin_bytes.empty()) process.write(stdin_bytes);
  process.close_stdin();
  while (true) {
    auto event = process.next(std::chrono::steady_clock::now() + far_away, stop);
    if (!event) return fail(std::move(event.error()));
    switch (event->kind) {
      case ProcessEvent::Kind::out:
        out(event->bytes);
        break;
      case ProcessEvent::Kind::err:
        err(event->bytes);
        break;
      case ProcessEvent::Kind::exited:
        return event->exit;
      case ProcessEvent::Kind::nothing_yet:
        break;
    }
  }
}

Result<CommandOutput> Host::capture(const Command& command, std::string_view stdin_bytes,
                                    const std::stop_token& stop, std::size_t limit) {
  CommandOutput output;
  const auto keep_head = [&](std::string& kept) {
    return [&output, &kept, limit](std::string_view bytes) {
      const std::size_t room = limit - kept.size();
      if (bytes.size() > room) output.truncated = true;
      kept.append(bytes.substr(0, room));
    };
  };
  auto exit = run(command, stdin_bytes, keep_head(output.out), keep_head(output.err), stop);
  if (!exit) return fail(std::move(exit.error()));
  output.exit = std::move(*exit);
  return output;
}

Result<CommandOutput> Host::shell(std::string_view script, const std::vector<std::string>& args,
                                  std::string_view stdin_bytes, const std::stop_token& stop,
                                  std::chrono::milliseconds timeout) {
  return capture(script_command(script, args, timeout), stdin_bytes, stop);
}

Result<std::string> Host::read_file(const std::string& path, std::size_t limit,
                                    std::uint64_t offset) {
  auto output = capture(
      script_command(file_commands::read, {path, std::to_string(limit), std::to_string(offset)},
                     std::chrono::minutes(10)),
      {}, {}, limit + room_for_errors);
  if (!output) return fail(std::move(output.error()));
  if (!output->exit.ok() || !output->err.empty()) {
    return fail(file_commands::error(*output, "read", path, description()));
  }
  return std::move(output->out);
}

Result<void> Host::write_file(const std::string& path, std::string_view content, unsigned mode) {
  auto output =
      capture(script_command(file_commands::write,
                             {path, octal(mode), parent_of(path) + ".npuprof-" + random_token(),
                              std::to_string(content.size())},
                             std::chrono::minutes(10)),
              content);
  if (!output) return fail(std::move(output.error()));
  if (!output->exit.ok()) {
    return fail(file_commands::error(*output, "write", path, description()));
  }
  return {};
}

Result<FileInfo> Host::stat(const std::string& path) {
  auto output = shell(file_commands::stat, {path});
  if (!output) return fail(std::move(output.error()));
  if (!output->exit.ok()) {
    return fail(file_commands::error(*output, "look at", path, description()));
  }
  return file_commands::parse_info(output->out);
}

Result<std::vector<DirectoryEntry>> Host::list_directory(const std::string& path) {
  auto output = capture(script_command(file_commands::list, {path}, std::chrono::minutes(2)), {},
                        {}, list_limit);
  if (!output) return fail(std::move(output.error()));
  if (output->truncated) {
    return fail({.code = codes::too_large,
                 .message = "The directory " + path + " on " + description() +
                            " has too many entries to list.",
                 .remedy = "Use a directory with fewer entries."});
  }
  if (!output->exit.ok()) {
    auto error = file_commands::error(*output, "list", path, description());
    // An entry that vanished between being found and being looked at is no failure.
    if (error.code != codes::not_found || output->out.empty()) return fail(std::move(error));
  }
  return file_commands::parse_list(output->out);
}

Result<void> Host::make_directory(const std::string& path, unsigned mode) {
  auto output = shell(file_commands::make_directory, {path, octal(mode)});
  if (!output) return fail(std::move(output.error()));
  if (!output->exit.ok()) {
    return fail(file_commands::error(*output, "make", path, description()));
  }
  return {};
}

}  // namespace npuprof
