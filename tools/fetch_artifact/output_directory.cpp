#include "fetch_artifact/output_directory.hpp"

#include "core/error_codes.hpp"

namespace npuprof::fetch_artifact {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end() && rest != path.end();
}

}  // namespace

Result<fs::path> output_directory(const std::string& named, const std::vector<fs::path>& roots) {
  std::error_code error;
  // Relative to a root would be ambiguous with several of them.
  const fs::path path(named);
  const fs::path resolved = path.is_absolute() ? fs::weakly_canonical(path, error) : fs::path();
  const bool allowed =
      !resolved.empty() && !error && std::any_of(roots.begin(), roots.end(), [&](const auto& root) {
        std::error_code ignored;
        return is_below(resolved, fs::weakly_canonical(root, ignored));
      });
  if (!allowed) {
    std::string known;
    for (const auto& root : roots) known += (known.empty() ? "" : ", ") + root.string();
    return fail({.code = codes::path_not_allowed,
                 .message = "nothing was fetched: output_dir is not below an allowed directory" +
                            (known.empty() ? std::string(" (none is configured)")
                                           : " (allowed: " + known + ")"),
                 .remedy = "Leave output_dir out, give an absolute path below one of them, or let "
                           "the user add to output_roots under [server].",
                 .who = Who::agent});
  }
  fs::create_directories(resolved, error);
  if (!error && fs::is_directory(resolved, error)) return resolved;
  return fail({.code = codes::permission_denied,
               .message = "nothing was fetched: can't make " + resolved.string() +
                          (error ? ": " + error.message() : "")});
}

}  // namespace npuprof::fetch_artifact
