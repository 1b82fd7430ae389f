#include "run/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"

namespace npuprof::run {
namespace {

constexpr int format = 1;
constexpr std::size_t largest_journal = 64u << 20;

Error io_error(const std::filesystem::path& file, int number) {
  return {.code = number == ENOSPC || number == EDQUOT ? codes::no_space : codes::io_error,
          .message = "can't write " + file.string() + ": " + std::strerror(number),
          .remedy = "Free some space below npuprof's data_dir, or make it writable."};
}

// A line that a crash cut off must not swallow the next one.
bool ends_with_newline(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size <= 0) return true;
  char last = 0;
  return ::pread(file, &last, 1, size - 1) == 1 && last == '\n';
}

bool is_of(const Json& line, const char* kind, const std::string& stage) {
  return line.contains("kind") && line["kind"] == kind && line.contains("stage") &&
         line["stage"] == stage;
}

}  // namespace

Result<void> Journal::append(Json entry) {
  entry["format"] = format;
  entry["t"] = to_iso8601(clock_.system());
  std::string line = entry.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  const int file = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return fail(io_error(file_, errno));
  if (!ends_with_newline(file)) line.insert(0, "\n");
  const ssize_t wrote = ::write(file, line.data(), line.size());
  int number = wrote < 0 ? errno : ENOSPC;
  bool ok = wrote == static_cast<ssize_t>(line.size());
  if (ok && ::fsync(file) != 0) {
    ok = false;
    number = errno;
  }
  ::close(file);
  if (!ok) return fail(io_error(file_, number));
  return {};
}

Result<void> Journal::begin(const std::string& stage) {
  return append({{"kind", "begin"}, {"stage", stage}});
}

Result<void> Journal::end(const std::string& stage, bool ok, Json proof) {
  Json entry = {{"kind", "end"}, {"stage", stage}, {"ok", ok}};
  if (!proof.is_null()) entry["proof"] = std::move(proof);
  return append(std::move(entry));
}

Result<void> Journal::evidence(const std::string& state, Json proof) {
  return append({{"kind", "evidence"}, {"state", state}, {"proof", std::move(proof)}});
}

Result<std::vector<Json>> Journal::read() const {
  const std::lock_guard lock(mutex_);
  auto text = read_local_file(file_, largest_journal);
  if (!text) {
    if (text.error().code == codes::not_found) return std::vector<Json>();
    return fail(text.error());
  }
  std::vector<Json> lines;
  std::size_t start = 0;
  for (std::size_t end = text->find('\n'); end != std::string::npos;
       start = end + 1, end = text->find('\n', start)) {
    auto line = Json::parse(text->begin() + static_cast<std::ptrdiff_t>(start),
                            text->begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!line.is_object()) continue;  // cut off by a crash, or edited
    if (line.contains("format") && line["format"].is_number() && line["format"] > format) {
      return fail({.code = codes::format_unknown,
                   .message = file_.string() + " was written by a newer npuprof",
                   .remedy = "Use the newer npuprof for this run."});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

bool has_begun(const std::vector<Json>& lines, const std::string& stage) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const Json& line) { return is_of(line, "begin", stage); });
}

bool has_ended_well(const std::vector<Json>& lines, const std::string& stage) {
  return std::any_of(lines.begin(), lines.end(), [&](const Json& line) {
    return is_of(line, "end", stage) && line.contains("ok") && line["ok"] == true;
  });
}

}  // namespace npuprof::run
