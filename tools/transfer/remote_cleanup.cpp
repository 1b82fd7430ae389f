#include "transfer/remote_cleanup.hpp"

#include <algorithm>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "transfer/remote_scripts.hpp"
#include "transfer/safe_path.hpp"

namespace npuprof::transfer {
namespace {

constexpr std::size_t longest_id = 200;
constexpr int through_a_link = 69;
constexpr int of_another = 70;

// $1: workspace, $2: run id. Goes there first and then looks where it is, so nothing can be put in
// its way in between; rm itself follows no link.
constexpr char script[] = R"sh(
LC_ALL=C; export LC_ALL
cd "$1" 2>/dev/null || exit 66
here=$(pwd -P)
[ "$here" = / ] && here=
[ -L .npuprof ] && exit 69
[ -e .npuprof ] || exit 0
cd .npuprof || exit 68
[ -L runs ] && exit 69
[ -e runs ] || exit 0
cd runs || exit 68
[ "$(pwd -P)" = "$here/.npuprof/runs" ] || exit 69
[ -L "./$2" ] && exit 69
[ -e "./$2" ] || exit 0
[ -d "./$2" ] || exit 69
[ -O "./$2" ] || exit 70
rm -rf "./$2"
)sh";

bool is_one_name(const std::string& id) {
  return !id.empty() && id.size() <= longest_id && id[0] != '.' && id[0] != '-' &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

}  // namespace

Result<void> remove_remote(Host& host, const std::string& workspace, const std::string& run_id,
                           const std::stop_token& stop) {
  if (!workspace.starts_with('/') || !is_one_name(run_id)) {
    return fail({.code = codes::invalid_arguments,
                 .message = "\"" + shown_path(run_id) + "\" names no run; nothing was removed",
                 .who = Who::agent});
  }
  const auto output =
      host.capture(remote_scripts::command(script, {workspace, run_id}), {}, stop, 64 << 10);
  if (!output) return fail(output.error());
  const std::string what = "the directory of run " + run_id + " on " + host.description();
  switch (output->exit.status) {
    case 0:
      return {};
    case remote_scripts::no_such_directory:
      return fail({.code = codes::not_found,
                   .message = "There is no workspace " + shown_path(workspace) + " on " +
                              host.description() + "; nothing was removed"});
    case through_a_link:
      return fail({.code = codes::permission_denied,
                   .message = what + " is a link, is reached through one, or is no directory; "
                                     "nothing was removed",
                   .remedy = "Look at it there, and remove by hand what should go."});
    case of_another:
      return fail({.code = codes::permission_denied,
                   .message = what + " belongs to another user; nothing was removed"});
    default:
      return fail({.code = codes::io_error,
                   .message = "Removing " + what + " failed, part of it may be gone: " +
                              clean_host_text(output->err, 500)});
  }
}

}  // namespace npuprof::transfer
