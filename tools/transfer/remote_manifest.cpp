#include "transfer/remote_manifest.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "transfer/remote_scripts.hpp"
#include "transfer/safe_path.hpp"
#include "transfer/selection.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::size_t most_bytes = 512 << 20;
constexpr std::size_t most_error_bytes = 16 << 10;

std::optional<std::uint64_t> number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "1700000000.1234567890", "1700000000", "-5.5"
std::optional<std::int64_t> nanoseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto dot = std::min(text.find('.'), text.size());
  const auto seconds = number(text.substr(0, dot));
  if (!seconds || *seconds > 9'000'000'000ULL) return std::nullopt;
  std::string fraction(text.substr(std::min(dot + 1, text.size())));
  fraction.resize(9, '0');
  const auto rest = number(fraction);
  if (!rest) return std::nullopt;
  const auto value =
      static_cast<std::int64_t>(*seconds) * 1'000'000'000 + static_cast<std::int64_t>(*rest);
  return negative ? -value : value;
}

std::string_view take_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::string_view without_dot(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

char type_letter(std::uint64_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return 'f';
    case S_IFLNK:
      return 'l';
    case S_IFIFO:
      return 'p';
    case S_IFSOCK:
      return 's';
    case S_IFBLK:
      return 'b';
    case S_IFCHR:
      return 'c';
    default:
      return '?';
  }
}

const char* reason_for(char type) {
  switch (type) {
    case 'l':
      return "a symbolic link; what it leads to is not followed";
    case 'p':
      return "a FIFO";
    case 's':
      return "a socket";
    case 'b':
    case 'c':
      return "a device";
    default:
      return "not a regular file";
  }
}

// Reads the records of remote_scripts::manifest as they arrive.
class ManifestReader {
 public:
  void feed(std::string_view bytes) {
    if (size_ += bytes.size(); size_ > most_bytes) return;
    while (!bytes.empty()) {
      const auto end = std::min(bytes.find('\0'), bytes.size());
      record_ += bytes.substr(0, end);
      if (end == bytes.size()) return;
      bytes.remove_prefix(end + 1);
      take(record_);
      record_.clear();
    }
  }

  bool whole() const { return ended_ && !bad_ && size_ <= most_bytes; }
  bool too_large() const { return size_ > most_bytes; }

  RemoteManifest finish() {
    std::sort(manifest_.files.begin(), manifest_.files.end(), [](const auto& a, const auto& b) {
      const bool first = is_essential(a.path);
      return first != is_essential(b.path) ? first : a.path < b.path;
    });
    std::sort(manifest_.left_out.begin(), manifest_.left_out.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(manifest_);
  }

 private:
  void take(std::string_view record) {
    if (infos_wanted_ > 0) {
      infos_.emplace_back(record);
      if (--infos_wanted_ == 0) paths_wanted_ = infos_.size();
      return;
    }
    if (paths_wanted_ > 0) {
      std::string_view info = infos_[infos_.size() - paths_wanted_];
      const auto mode = number(take_word(info), 16);
      const auto size = number(take_word(info));
      const auto modified = nanoseconds(info);
      add(mode ? type_letter(*mode) : '?', size, modified, mode, record);
      if (--paths_wanted_ == 0) infos_.clear();
      return;
    }
    const auto kind = take_word(record);
    if (kind == "p") {
      const auto type = take_word(record);
      const auto size = number(take_word(record));
      const auto modified = nanoseconds(take_word(record));
      const auto mode = number(take_word(record), 8);
      add(type.empty() ? '?' : type[0], size, modified, mode, record);
    } else if (kind == "b") {
      infos_wanted_ = number(record).value_or(0);
      bad_ = bad_ || infos_wanted_ == 0;
    } else if (kind == "tools") {
      take_tools(" " + std::string(record) + " ");
    } else if (kind == "cores") {
      manifest_.tools.cores =
          static_cast<unsigned>(std::clamp<std::uint64_t>(number(record).value_or(1), 1, 10'000));
    } else if (kind == "load") {
      std::istringstream(std::string(record)) >> manifest_.tools.load;
    } else if (kind == "end") {
      ended_ = true;
    } else {
      bad_ = true;
    }
  }

  void take_tools(const std::string& words) {
    const auto has = [&](const char* word) {
      return words.find(" " + std::string(word) + " ") != std::string::npos;
    };
    auto& tools = manifest_.tools;
    tools.gnu_tar = has("gnu_tar");
    tools.zstd = has("zstd");
    tools.pigz = has("pigz");
    tools.gzip = has("gzip");
    for (const char* hasher : {"openssl", "sha256sum", "shasum", "python3"}) {
      if (!has(hasher)) continue;
      tools.hasher = hasher;
      break;
    }
  }

  void add(char type, std::optional<std::uint64_t> size, std::optional<std::int64_t> modified,
           std::optional<std::uint64_t> mode, std::string_view path) {
    path = without_dot(path);
    if (type != 'f') {
      manifest_.left_out.push_back({std::string(path), reason_for(type)});
      return;
    }
    if (!size || !modified || !mode || path.empty()) {
      bad_ = true;
      return;
    }
    manifest_.files.push_back({.path = std::string(path),
                               .size = *size,
                               .modified_ns = *modified,
                               .mode = static_cast<unsigned>(*mode & 07777)});
  }

  RemoteManifest manifest_;
  std::string record_;
  std::size_t size_ = 0;
  std::size_t infos_wanted_ = 0;
  std::size_t paths_wanted_ = 0;
  std::vector<std::string> infos_;
  bool ended_ = false;
  bool bad_ = false;
};

std::string joined(const std::vector<std::string>& paths) {
  std::string out;
  for (const auto& path : paths) {
    out += "./" + path;
    out += '\0';
  }
  return out;
}

bool is_sum(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string hashing_command(const RemoteTools& tools) {
  if (tools.hasher == "openssl") return remote_scripts::openssl;
  if (tools.hasher == "sha256sum") return remote_scripts::sha256sum;
  if (tools.hasher == "shasum") return remote_scripts::shasum;
  return remote_scripts::python3;
}

// Runs one of the hashing scripts over `paths`, giving out its lines.
Result<void> hash_lines(Host& host, const char* script, std::vector<std::string> args,
                        const std::vector<std::string>& paths,
                        const std::function<void(std::string_view)>& line,
                        const std::stop_token& stop) {
  std::string pending;
  const auto exit = host.run(
      remote_scripts::command(script, std::move(args)), joined(paths),
      [&](std::string_view bytes) {
        pending += bytes;
        std::size_t begin = 0;
        for (auto end = pending.find('\n'); end != std::string::npos;
             end = pending.find('\n', begin)) {
          line(std::string_view(pending).substr(begin, end - begin));
          begin = end + 1;
        }
        pending.erase(0, begin);
      },
      [](std::string_view) {}, stop);
  if (!exit) return fail(exit.error());
  return {};
}

}  // namespace

Result<RemoteManifest> read_manifest(Host& host, const std::string& remote_dir,
                                     const std::stop_token& stop) {
  ManifestReader reader;
  std::string errors;
  const auto exit = host.run(
      remote_scripts::command(remote_scripts::manifest, {remote_dir}), {},
      [&](std::string_view bytes) { reader.feed(bytes); },
      [&](std::string_view bytes) {
        errors += bytes.substr(0, most_error_bytes - std::min(errors.size(), most_error_bytes));
      },
      stop);
  if (!exit) return fail(exit.error());
  const std::string where = shown_path(remote_dir) + " on " + host.description();
  if (exit->status == remote_scripts::no_such_directory) {
    return fail({.code = codes::not_found,
                 .message = "There is no " + where + "; nothing was fetched",
                 .remedy = "Check the path; it must be below the target's workspace."});
  }
  if (exit->status == remote_scripts::not_a_directory) {
    return fail({.code = codes::invalid_arguments,
                 .message = where + " is not a directory; nothing was fetched",
                 .remedy = "Name the directory that holds the profile."});
  }
  if (exit->status == remote_scripts::not_readable) {
    return fail({.code = codes::permission_denied,
                 .message = where + " may not be read by this login; nothing was fetched",
                 .remedy = "Give the login read and search permission on it."});
  }
  if (reader.too_large()) {
    return fail({.code = codes::too_large,
                 .message = where + " holds too many files to list; nothing was fetched",
                 .remedy = "Fetch its sub-directories one by one."});
  }
  if (!reader.whole()) {
    return fail({.code = codes::command_failed,
                 .message = "Listing " + where + " failed: " + clean_host_text(errors, 500),
                 .remedy = "The host needs sh, find and stat, of GNU or busybox."});
  }
  auto manifest = reader.finish();
  std::istringstream lines(clean_host_text(errors, most_error_bytes));
  for (std::string text; std::getline(lines, text);) {
    if (!text.empty()) manifest.complaints.push_back(text);
  }
  return manifest;
}

Result<void> hash_remote(Host& host, const std::string& remote_dir, const RemoteTools& tools,
                         const std::vector<std::string>& paths, const HashSink& sink,
                         const std::stop_token& stop) {
  if (tools.hasher.empty()) {
    return fail({.code = codes::command_failed,
                 .message = host.description() +
                            " has no openssl, sha256sum, shasum or python3: what is fetched from "
                            "there can't be verified, so nothing was",
                 .remedy = "Install one of them there.",
                 .who = Who::administrator});
  }
  std::vector<std::string> plain;
  std::vector<std::string> odd;
  for (const auto& path : paths) {
    (path.find_first_of("\n\r\\") == std::string::npos ? plain : odd).push_back(path);
  }
  if (!plain.empty()) {
    auto hashed = hash_lines(
        host, remote_scripts::hash, {remote_dir, hashing_command(tools)}, plain,
        [&](std::string_view line) {
          if (line.size() > 66 && is_sum(line.substr(0, 64))) {
            sink(std::string(without_dot(line.substr(66))), std::string(line.substr(0, 64)));
          }
        },
        stop);
    if (!hashed) return hashed;
  }
  if (!odd.empty()) {
    std::size_t index = 0;
    auto hashed = hash_lines(
        host, remote_scripts::hash_in_order, {remote_dir, hashing_command(tools)}, odd,
        [&](std::string_view line) {
          if (index < odd.size() && is_sum(line)) sink(odd[index], std::string(line));
          ++index;
        },
        stop);
    if (!hashed) return hashed;
  }
  return {};
}

Result<std::string> hash_remote_prefix(Host& host, const std::string& remote_dir,
                                       const RemoteTools& tools, const std::string& path,
                                       std::uint64_t bytes, const std::stop_token& stop) {
  const auto output = host.capture(
      remote_scripts::command(remote_scripts::hash_prefix, {remote_dir, hashing_command(tools),
                                                            "./" + path, std::to_string(bytes)}),
      {}, stop, 4096);
  if (!output) return fail(output.error());
  const auto sum = output->out.substr(0, 64);
  if (!is_sum(sum)) {
    return fail({.code = codes::io_error,
                 .message = "Can't read " + shown_path(path) + " on " + host.description()});
  }
  return sum;
}

}  // namespace npuprof::transfer
