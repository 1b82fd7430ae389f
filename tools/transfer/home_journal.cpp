#include "transfer/home_journal.hpp"

#include <fcntl.h>

#include <cerrno>
#include <sstream>

#include "core/atomic_file.hpp"

namespace npuprof::transfer {
namespace {

constexpr int format = 1;
constexpr std::size_t most_bytes = 1 << 30;

// Names are bytes, JSON is UTF-8: what is not plain ASCII is written as %XX.
std::string escaped(const std::string& path) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%') {
      out += c;
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 0xF]};
    }
  }
  return out;
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string line_of(const std::string& path, const HomeJournal::File& file) {
  return Json{{"file", escaped(path)},
              {"size", file.size},
              {"modified_ns", file.modified_ns},
              {"sha256", file.sha256}}
             .dump() +
         "\n";
}

std::string line_of(const std::string& path, const HomeJournal::Partial& partial) {
  return Json{{"partial", escaped(path)},
              {"size", partial.size},
              {"modified_ns", partial.modified_ns},
              {"name", partial.name}}
             .dump() +
         "\n";
}

std::string line_of(const HomeJournal::Archive& archive) {
  return Json{{"archive", archive.contents}, {"bytes", archive.bytes}, {"sha256", archive.sha256}}
             .dump() +
         "\n";
}

Json header(const std::string& source, const std::string& remote_dir) {
  return {{"format", format}, {"source", escaped(source)}, {"remote_dir", escaped(remote_dir)}};
}

}  // namespace

HomeJournal HomeJournal::fresh(const std::filesystem::path& path, const std::string& source,
                               const std::string& remote_dir) {
  HomeJournal journal;
  journal.path_ = path;
  journal.source_ = source;
  journal.remote_dir_ = remote_dir;
  return journal;
}

std::optional<HomeJournal> HomeJournal::load(const std::filesystem::path& path,
                                             const std::string& source,
                                             const std::string& remote_dir) {
  const auto text = read_local_file(path, most_bytes);
  if (!text) return std::nullopt;
  auto journal = fresh(path, source, remote_dir);
  std::istringstream lines(*text);
  std::string line;
  if (!std::getline(lines, line) ||
      Json::parse(line, nullptr, false) != header(source, remote_dir)) {
    return std::nullopt;
  }
  while (std::getline(lines, line)) journal.take(line);
  return journal;
}

void HomeJournal::take(const std::string& line) {
  const Json fact = Json::parse(line, nullptr, false);
  if (!fact.is_object()) return;  // torn
  try {
    if (fact.contains("file")) {
      const auto path = unescaped(fact.at("file"));
      files_[path] = {.size = fact.at("size"),
                      .modified_ns = fact.at("modified_ns"),
                      .sha256 = fact.at("sha256")};
      partials_.erase(path);
    } else if (fact.contains("partial")) {
      partials_[unescaped(fact.at("partial"))] = {
          .size = fact.at("size"), .modified_ns = fact.at("modified_ns"), .name = fact.at("name")};
    } else if (fact.contains("dropped")) {
      files_.erase(unescaped(fact.at("dropped")));
    } else if (fact.contains("archive")) {
      archive_ = {
          .contents = fact.at("archive"), .bytes = fact.at("bytes"), .sha256 = fact.at("sha256")};
    }
  } catch (const std::exception&) {  // not a line of ours
  }
}

Result<void> HomeJournal::begin() {
  std::string text = header(source_, remote_dir_).dump() + "\n";
  for (const auto& [path, file] : files_) text += line_of(path, file);
  for (const auto& [path, partial] : partials_) text += line_of(path, partial);
  if (archive_) text += line_of(*archive_);
  if (auto wrote = replace_file(path_, text); !wrote) return wrote;
  file_ = FileHandle(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file_) return fail(home_error("Can't write " + path_.string(), errno));
  return {};
}

Result<void> HomeJournal::append(const std::string& line) {
  if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return fail(home_error("Can't write " + path_.string(), errno == 0 ? ENOSPC : errno));
  }
  return {};
}

Result<void> HomeJournal::add(const std::string& path, const File& file) {
  files_[path] = file;
  partials_.erase(path);
  return append(line_of(path, file));
}

Result<void> HomeJournal::add(const std::string& path, const Partial& partial) {
  partials_[path] = partial;
  return append(line_of(path, partial));
}

Result<void> HomeJournal::drop(const std::string& path) {
  files_.erase(path);
  return append(Json{{"dropped", escaped(path)}}.dump() + "\n");
}

Result<void> HomeJournal::add(const Archive& archive) {
  archive_ = archive;
  return append(line_of(archive));
}

}  // namespace npuprof::transfer
