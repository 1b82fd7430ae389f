#include "host/file_commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::file_commands {

// A FIFO would block for ever, so only what `head` can end is opened.
const std::string_view read = R"sh(LC_ALL=C; export LC_ALL
[ -p "$1" ] && { echo "$1: Is a FIFO" >&2; exit 1; }
if [ "$3" = 0 ]; then exec head -c "$2" "$1"; fi
head -c 0 "$1" || exit 1
tail -c "+$(($3 + 1))" "$1" | head -c "$2"
)sh";

// The length is checked before the rename: an input cut short by a lost connection ends like any
// other.
const std::string_view write = R"sh(LC_ALL=C; export LC_ALL
umask 077
[ -d "$1" ] && { echo "$1: Is a directory" >&2; exit 1; }
trap 'rm -f "$3"' EXIT
trap 'exit 1' HUP INT TERM
tee "$3" >/dev/null || exit 1
[ "$(wc -c <"$3")" -eq "$4" ] || { echo "$1: Input cut short" >&2; exit 1; }
chmod "$2" "$3" && mv -f "$3" "$1"
)sh";

const std::string_view stat = R"sh(LC_ALL=C; export LC_ALL
exec stat -c '%f %s %Y %U' "$1"
)sh";

const std::string_view list = R"sh(LC_ALL=C; export LC_ALL
stat -c %f "$1/." >/dev/null || exit 1
find "$1/" -prune -printf '' 2>/dev/null &&
  exec find "$1/" -mindepth 1 -maxdepth 1 -printf '%y %m %s %T@ %u\n%f\0'
cd "$1" || exit 1
exec find . -mindepth 1 -maxdepth 1 -exec sh -c '
  for f; do stat -c "%f %s %Y %U" "$f" && printf "%s\0" "${f#./}"; done' sh {} +
)sh";

const std::string_view make_directory = R"sh(LC_ALL=C; export LC_ALL
exec mkdir -m "$2" "$1"
)sh";

namespace {

struct Cause {
  std::string_view words;
  const char* code;
  std::string_view remedy;
};

constexpr std::array<Cause, 12> causes{{
    {"No such file or directory", codes::not_found, "Check the path."},
    {"Not a directory", codes::not_found, "Check the path: a part of it is a file."},
    {"Permission denied", codes::permission_denied,
     "Give the login user access to it, or use another path."},
    {"Operation not permitted", codes::permission_denied,
     "Give the login user access to it, or use another path."},
    {"Read-only file system", codes::permission_denied,
     "Use a path on a file system that can be written."},
    {"File exists", codes::already_exists, "Use another path."},
    {"No space left on device", codes::no_space, "Free some space there."},
    {"Disk quota exceeded", codes::no_space, "Free some of the login user's quota there."},
    {"File too large", codes::no_space, "Raise the login user's file size limit."},
    {"Is a directory", codes::io_error, "Name a file."},
    {"Is a FIFO", codes::io_error, "Name a regular file."},
    {"Input cut short", codes::connection_lost, "Try again."},
}};

template <typename Number>
bool to_number(std::string_view text, Number& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

FileType type_of_letter(std::string_view letter) {
  if (letter == "f") return FileType::regular;
  if (letter == "d") return FileType::directory;
  if (letter == "l") return FileType::symlink;
  return FileType::other;
}

FileType type_of_mode(unsigned mode) {
  switch (mode & 0170000U) {
    case 0100000U:
      return FileType::regular;
    case 0040000U:
      return FileType::directory;
    case 0120000U:
      return FileType::symlink;
    default:
      return FileType::other;
  }
}

}  // namespace

Error error(const CommandOutput& output, const std::string& action, const std::string& path,
            const std::string& host) {
  std::string_view said = output.err;
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.remove_suffix(1);
  const std::string shown = clean_host_text(path, 300);
  for (const Cause& cause : causes) {
    if (said.ends_with(cause.words)) {
      return {.code = cause.code,
              .message = "Could not " + action + " " + shown + " on " + host + ": " +
                         std::string(cause.words) + ".",
              .remedy = std::string(cause.remedy),
              .who = Who::user,
              .retryable = cause.code == codes::connection_lost};
    }
  }
  return {.code = codes::io_error,
          .message = "Could not " + action + " " + shown + " on " + host + ": " +
                     (said.empty() ? "exit status " + std::to_string(output.exit.status)
                                   : clean_host_text(said, 500)),
          .remedy = "See the host's message."};
}

Result<FileInfo> parse_info(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string first;
  FileInfo info;
  words >> first;
  bool ok = true;
  std::string mode;
  std::string size;
  std::string time;
  if (first.size() == 1 && !(first[0] >= '0' && first[0] <= '9')) {
    words >> mode;
    info.type = type_of_letter(first);
    ok = to_number(mode, info.mode, 8);
  } else {
    unsigned raw = 0;
    ok = to_number(first, raw, 16);
    info.type = type_of_mode(raw);
    info.mode = raw & 07777U;
  }
  words >> size >> time >> info.owner;
  ok = ok && to_number(size, info.size);
  ok = ok && to_number(std::string_view(time).substr(0, time.find('.')), info.modified_s);
  if (!ok) {
    return fail({.code = codes::io_error,
                 .message = "The host described a file in words npuprof does not know: " +
                            clean_host_text(line, 200),
                 .remedy = "The host needs stat from coreutils or busybox."});
  }
  return info;
}

Result<std::vector<DirectoryEntry>> parse_list(std::string_view output) {
  std::vector<DirectoryEntry> entries;
  while (!output.empty()) {
    const auto line_end = output.find('\n');
    const auto name_end = output.find('\0', line_end == output.npos ? 0 : line_end);
    if (line_end == output.npos || name_end == output.npos) break;
    auto info = parse_info(output.substr(0, line_end));
    if (!info) return fail(std::move(info.error()));
    entries.push_back(
        {std::string(output.substr(line_end + 1, name_end - line_end - 1)), std::move(*info)});
    output.remove_prefix(name_end + 1);
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

}  // namespace npuprof::file_commands
