#include "run/workload_facts.hpp"

#include <map>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::run {
namespace {

using namespace std::chrono_literals;

// $1 workspace, $2 file or directory below it (may be empty). Prints key NUL value NUL.
constexpr std::string_view inquiry = R"(
say() { printf '%s\0%s\0' "$1" "$2"; }
if [ ! -d "$1" ]; then say workspace missing; exit 0; fi
cd "$1" 2>/dev/null || { say workspace denied; exit 0; }
w=$(pwd -P); say workspace_path "$w"
[ -n "$2" ] || exit 0
if [ ! -e "$2" ]; then say path missing; exit 0; fi
p=$(readlink -f -- "$2"); say real_path "$p"
case $p in "${w%/}"/*) ;; *) say path outside; exit 0;; esac
if [ -d "$p" ]; then say path directory; exit 0; fi
if [ ! -f "$p" ]; then say path special; exit 0; fi
if [ ! -r "$p" ]; then say path denied; exit 0; fi
say path file
s=$( (sha256sum < "$p" || openssl dgst -sha256 -r < "$p") 2>/dev/null | head -n 1)
say sha256 "${s%% *}"
limit=; command -v timeout >/dev/null 2>&1 && limit='timeout 10'
export GIT_OPTIONAL_LOCKS=0
d=$(dirname -- "$p")
c=$($limit git -C "$d" rev-parse HEAD 2>/dev/null) || exit 0
say git_commit "$c"
if changed=$($limit git -C "$d" status --porcelain --untracked-files=no 2>/dev/null); then
  if [ -n "$changed" ]; then say git_dirty yes; else say git_dirty no; fi
fi
)";

using Answers = std::map<std::string, std::string>;

Answers parse(const std::string& printed) {
  Answers answers;
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<std::string> {
    const auto end = printed.find('\0', at);
    if (end == std::string::npos) return std::nullopt;
    auto word = printed.substr(at, end - at);
    at = end + 1;
    return word;
  };
  while (auto key = next()) {
    if (auto value = next()) answers[*key] = *value;
  }
  return answers;
}

Result<Answers> ask(Host& host, const Target& target, const std::string& path,
                    const std::stop_token& stop) {
  auto said = host.shell(inquiry, {target.workspace, path}, {}, stop, 60s);
  if (!said) {
    auto error = said.error();
    error.message = "nothing was run: " + error.message;
    return fail(std::move(error));
  }
  auto answers = parse(said->out);
  if (answers.contains("workspace_path")) return answers;
  const bool missing = answers["workspace"] == "missing";
  return fail(
      {.code = missing ? codes::not_found : codes::permission_denied,
       .message = "nothing was run: the workspace " + target.workspace + " of target " +
                  target.name +
                  (missing ? " is not there, or is no directory, on " : " can't be entered on ") +
                  host.description(),
       .remedy = "Make it, or correct `workspace` under [targets." + target.name +
                 "] in the configuration."});
}

bool is_hash(const std::string& text, std::size_t least) {
  return text.size() >= least && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Error bad_path(const std::string& path, const std::string& answer, const std::string& workspace) {
  const auto shown = clean_host_text(path, 300);
  if (answer == "missing") {
    return {.code = codes::not_found,
            .message = "nothing was run: " + shown + " is not there, below " + workspace,
            .remedy = "Give a path relative to the workspace, as it is on the target.",
            .who = Who::agent};
  }
  if (answer == "outside") {
    return {.code = codes::path_outside_workspace,
            .message = "nothing was run: " + shown + " leads out of the workspace " + workspace,
            .remedy =
                "Only what lies below the target's workspace can be used; links are "
                "followed before that is looked at.",
            .who = Who::agent};
  }
  if (answer == "denied") {
    return {.code = codes::permission_denied,
            .message = "nothing was run: " + shown + " can't be read by the target's user",
            .remedy = "Make it readable."};
  }
  return {.code = codes::invalid_arguments,
          .message = "nothing was run: " + shown +
                     (answer == "directory" ? " is a directory" : " is no regular file"),
          .remedy = "Name the program's file.",
          .who = Who::agent};
}

}  // namespace

Result<WorkloadFacts> look_at_workload(Host& host, const Request& request,
                                       const std::stop_token& stop) {
  const auto script = request.script();
  auto answers = ask(host, *request.target, script, stop);
  if (!answers) return fail(answers.error());
  WorkloadFacts facts;
  facts.workspace = (*answers)["workspace_path"];
  if (script.empty()) return facts;
  if ((*answers)["path"] != "file") {
    return fail(bad_path(script, (*answers)["path"], facts.workspace));
  }
  facts.script = (*answers)["real_path"];
  if (is_hash((*answers)["sha256"], 64)) facts.script_sha256 = (*answers)["sha256"];
  if (is_hash((*answers)["git_commit"], 40)) facts.git_commit = (*answers)["git_commit"];
  if (answers->contains("git_dirty")) facts.git_dirty = (*answers)["git_dirty"] == "yes";
  return facts;
}

Result<std::string> resolve_directory(Host& host, const Target& target, const std::string& path,
                                      const std::stop_token& stop) {
  auto answers = ask(host, target, path, stop);
  if (!answers) return fail(answers.error());
  if ((*answers)["path"] == "directory") return (*answers)["real_path"];
  auto error = bad_path(path, (*answers)["path"], (*answers)["workspace_path"]);
  if (error.code == codes::invalid_arguments) {
    error.message = "nothing was run: " + clean_host_text(path, 300) + " is no directory";
    error.remedy = "Name the profile's directory.";
  }
  return fail(std::move(error));
}

Result<std::string> resolve_workspace(Host& host, const Target& target,
                                      const std::stop_token& stop) {
  auto answers = ask(host, target, "", stop);
  if (!answers) return fail(answers.error());
  return (*answers)["workspace_path"];
}

Json describe_workload(const Request& request, const WorkloadFacts& facts) {
  Json workload = {{"way", request.way}};
  for (const char* name : {"script", "entry", "hook", "args"}) {
    if (request.arguments.contains(name)) workload[name] = request.arguments[name];
  }
  if (!facts.script_sha256.empty()) workload["script_sha256"] = facts.script_sha256;
  if (!facts.git_commit.empty()) workload["git_commit"] = facts.git_commit;
  if (facts.git_dirty) workload["git_dirty"] = *facts.git_dirty;
  return workload;
}

}  // namespace npuprof::run
