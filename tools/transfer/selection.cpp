#include "transfer/selection.hpp"

#include <algorithm>

#include "core/error_codes.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::size_t longest_glob = 1'000;
constexpr std::size_t most_globs = 100;

// Matches without recursion: each '*' remembers where it may try again, and so does each "**", so
// the work is bounded by text times pattern.
bool matches(std::string_view glob, std::string_view text) {
  struct Retry {
    std::size_t glob = std::string_view::npos;
    std::size_t text = 0;
  };
  Retry star;      // stays inside one part
  Retry globstar;  // may cross '/'
  std::size_t g = 0;
  std::size_t t = 0;
  while (true) {
    if (glob.substr(g, 3) == "**/") {
      g += 3;
      globstar = {g, t};
      star = {};
      continue;
    }
    if (glob.substr(g) == "**") return true;
    if (g < glob.size() && glob[g] == '*') {
      star = {++g, t};
      continue;
    }
    if (g == glob.size() && t == text.size()) return true;
    if (g < glob.size() && t < text.size() &&
        (glob[g] == text[t] || (glob[g] == '?' && text[t] != '/'))) {
      ++g;
      ++t;
      continue;
    }
    if (star.glob != std::string_view::npos && star.text < text.size() && text[star.text] != '/') {
      t = ++star.text;
      g = star.glob;
      continue;
    }
    if (globstar.glob == std::string_view::npos) return false;
    const auto slash = text.find('/', globstar.text);
    if (slash == std::string_view::npos) return false;
    t = globstar.text = slash + 1;
    g = globstar.glob;
    star = {};
  }
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

bool is_essential(std::string_view path) {
  bool raw = false;
  while (true) {
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return !raw;
    const auto part = path.substr(0, slash);
    path.remove_prefix(slash + 1);
    if (part == "FRAMEWORK" || part.starts_with("PROF_")) raw = true;
    if (part == "mindstudio_profiler_output" || part == "ASCEND_PROFILER_OUTPUT") raw = false;
  }
}

Selection Selection::all() {
  return {};
}

Selection Selection::essential() {
  Selection selection;
  selection.kind_ = Kind::essential;
  return selection;
}

Result<Selection> Selection::globs(std::vector<std::string> patterns) {
  const auto refuse = [](const std::string& why) {
    return fail({.code = codes::invalid_arguments,
                 .message = "files: " + why + "; nothing was fetched",
                 .remedy = "Give \"essential\", \"all\", or globs such as \"**/*.csv\".",
                 .who = Who::agent});
  };
  if (patterns.empty()) return refuse("an empty list of globs selects nothing");
  if (patterns.size() > most_globs) return refuse("more than 100 globs");
  for (const auto& pattern : patterns) {
    if (pattern.empty()) return refuse("an empty glob");
    if (pattern.size() > longest_glob) return refuse("a glob over 1,000 bytes");
  }
  Selection selection;
  selection.kind_ = Kind::globs;
  selection.patterns_ = std::move(patterns);
  return selection;
}

Result<Selection> Selection::from_json(const Json& files) {
  if (files.is_null() || files == "all") return all();
  if (files == "essential") return essential();
  std::vector<std::string> patterns;
  if (files.is_array()) {
    for (const auto& file : files) {
      if (file.is_string()) patterns.push_back(file.get<std::string>());
    }
    if (patterns.size() == files.size()) return globs(std::move(patterns));
  }
  if (files.is_string()) return globs({files.get<std::string>()});
  return fail({.code = codes::invalid_arguments,
               .message = "files is neither \"essential\", \"all\", nor a list of globs",
               .remedy = "Give one of them.",
               .who = Who::agent});
}

bool Selection::wants(std::string_view path) const {
  if (kind_ == Kind::all) return true;
  if (kind_ == Kind::essential) return is_essential(path);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](std::string_view glob) {
    return glob.find('/') == std::string_view::npos ? matches(glob, name_of(path))
                                                    : matches(glob, path);
  });
}

std::string Selection::description() const {
  if (kind_ == Kind::all) return "all";
  if (kind_ == Kind::essential) return "essential";
  std::string out;
  for (const auto& pattern : patterns_) out += (out.empty() ? "" : ", ") + pattern;
  return out;
}

}  // namespace npuprof::transfer
