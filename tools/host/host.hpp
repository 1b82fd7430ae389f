#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace npuprof {

// What to run. `argv` reaches the program as it is: no shell of the host reads it. Nothing secret
// belongs in it.
struct Command {
  std::vector<std::string> argv;                // argv[0] is looked up on the host's PATH
  std::map<std::string, std::string> env = {};  // added to the host's environment
  std::string cwd = {};  // empty: where a login starts; one that can't be entered: exit status 126
  std::chrono::milliseconds timeout{30'000};  // from the request to the end of the command
};

// How a command ended: by itself (`signal` empty) or by a signal ("KILL", "TERM", ...; `status` is
// then 128 + number).
struct Exit {
  int status = 0;
  std::string signal = {};
  bool ok() const { return status == 0 && signal.empty(); }
};

struct ProcessEvent {
  enum class Kind { out, err, exited, nothing_yet };
  Kind kind = Kind::nothing_yet;
  std::string bytes = {};  // of out and err
  Exit exit = {};          // of exited; comes once, after the last byte of both streams
};

// A command that runs on a host. Owned by its caller, used by one thread at a time. Destroying it
// while the command runs ends the command, and every process it started, on the host (TERM, then
// KILL).
class Process {
 public:
  virtual ~Process() = default;

  // The next thing that happens, or `nothing_yet` at `until`. A caller that doesn't ask makes the
  // command wait: what it writes is buffered within a bound only. Fails with TIMED_OUT
  // (Command::timeout; the command has been ended), CANCELLED (`stop`; likewise) or CONNECTION_LOST
  // (the command may still run).
  virtual Result<ProcessEvent> next(std::chrono::steady_clock::time_point until,
                                    const std::stop_token& stop) = 0;

  // Hands `bytes` to the command's standard input and never waits: what the command doesn't take at
  // once is kept and sent during the calls of `next` that follow. What a command that has ended, or
  // has closed its input, would have read is dropped.
  virtual void write(std::string_view bytes) = 0;

  // Ends the command's standard input after what was written.
  virtual void close_stdin() = 0;
};

struct CommandOutput {
  Exit exit;
  std::string out;
  std::string err;
  bool truncated = false;  // a stream was longer than the limit asked for; its head is kept
};

enum class FileType { regular, directory, symlink, other };

struct FileInfo {
  FileType type = FileType::other;  // of the path itself: links are not followed
  std::uint64_t size = 0;           // bytes
  std::int64_t modified_s = 0;      // seconds since the epoch, by the host's clock
  unsigned mode = 0;                // permission bits
  std::string owner = {};           // user name
};

struct DirectoryEntry {
  std::string name;
  FileInfo info;
};

// The live connection to a target. Thread-safe: several commands may run at once. All paths are
// absolute and the host's own. Errors of files: NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS,
// NO_SPACE, TOO_LARGE, IO_ERROR.
//
// The one thing a maker of Host brings is `start`; everything else is made of commands that a POSIX
// shell with coreutils or busybox has, so that hosts without SFTP and containers behave alike.
class Host {
 public:
  virtual ~Host() = default;

  // Starts a command. Fails with HOST_UNREACHABLE, HOST_KEY_UNKNOWN, HOST_KEY_CHANGED, AUTH_FAILED,
  // CHANNEL_REFUSED or CONTAINER_UNAVAILABLE where it could not be started; a program that does not
  // exist exits with 127.
  virtual Result<std::unique_ptr<Process>> start(const Command& command,
                                                 const std::stop_token& stop) = 0;

  // For messages: "this machine", "dev@npu-a2:22", "container mindie on dev@npu-a2:22".
  virtual std::string description() const = 0;

  using Sink = std::function<void(std::string_view)>;

  // Runs a command to its end, giving both streams out as they arrive.
  Result<Exit> run(const Command& command, std::string_view stdin_bytes, const Sink& out,
                   const Sink& err, const std::stop_token& stop = {});

  // Runs a command to its end and keeps up to `limit` bytes of each stream.
  Result<CommandOutput> capture(const Command& command, std::string_view stdin_bytes = {},
                                const std::stop_token& stop = {}, std::size_t limit = 16 << 20);

  // Runs a script under the host's /bin/sh -c; `args` are its $1, $2, ...
  Result<CommandOutput> shell(std::string_view script, const std::vector<std::string>& args = {},
                              std::string_view stdin_bytes = {}, const std::stop_token& stop = {},
                              std::chrono::milliseconds timeout = std::chrono::seconds(30));

  // Up to `limit` bytes from `offset` on.
  Result<std::string> read_file(const std::string& path, std::size_t limit,
                                std::uint64_t offset = 0);

  // Replaces a file: written under a temporary name beside it, then renamed. Leaves nothing behind
  // on failure.
  Result<void> write_file(const std::string& path, std::string_view content, unsigned mode = 0600);

  Result<FileInfo> stat(const std::string& path);
  Result<std::vector<DirectoryEntry>> list_directory(const std::string& path);

  // One atomic mkdir: ALREADY_EXISTS if it is there. The parent must exist.
  Result<void> make_directory(const std::string& path, unsigned mode = 0700);
};

}  // namespace npuprof
