#include <algorithm>
#include <cmath>

#include "ascend/table_text.hpp"
#include "precheck/checks.hpp"

namespace npuprof::precheck {
namespace {

constexpr std::uint64_t gib = 1ULL << 30;
constexpr std::uint64_t least_disk = 1 * gib;    // below it a run can't hold its raw data
constexpr std::uint64_t enough_disk = 20 * gib;  // 20 times the raw data of a short window
constexpr std::uint64_t least_inodes = 10'000;
constexpr double most_skew_s = 30;

Check user(const Findings& f) {
  if (f.facts.uid < 0) return unknown("user", "who the user is on the target is not told");
  if (f.facts.user.empty()) {
    return warned(
        "user",
        "user id " + std::to_string(f.facts.uid) +
            " has no name here: Python's getpwuid fails, and torch with it",
        nullptr,
        "Run as a user that the container knows (container_user), or add the entry to its "
        "/etc/passwd.");
  }
  return passed("user", f.facts.user);
}

Check clock_skew(const Findings& f) {
  if (!f.facts.clock) return unknown("clock", "the target's clock could not be read");
  const auto& clock = *f.facts.clock;
  const double least = std::max(0.0, std::abs(clock.offset_s) - clock.uncertainty_s);
  const Json evidence = {{"offset_s", std::round(clock.offset_s * 1000) / 1000},
                         {"uncertainty_s", std::round(clock.uncertainty_s * 1000) / 1000}};
  if (least > most_skew_s) {
    return warned("clock",
                  "the target's clock is " + std::to_string(std::llround(clock.offset_s)) +
                      " s off this machine's",
                  evidence, "Set it (NTP). npuprof judges a run by the target's own clock.",
                  Who::administrator);
  }
  return passed("clock", "no large offset", evidence);
}

Check workspace(const Findings& f) {
  const auto& workspace = f.facts.workspace;
  const auto& path = f.target.workspace;
  if (!workspace.exists) {
    return failed(
        "workspace", "the workspace " + path + " does not exist on the target", nullptr,
        f.target.container.empty()
            ? "Create it, or correct workspace of the target."
            : "It must exist in the container: mount it, or correct workspace of the target.");
  }
  if (!workspace.directory) {
    return failed("workspace", "the workspace " + path + " is no directory", nullptr,
                  "Correct workspace of the target.");
  }
  if (!workspace.writable) {
    return failed("workspace", "user " + f.facts.user + " may not write to the workspace " + path,
                  {{"owner", workspace.owner}},
                  "Give the user the right to write there, or use another workspace; a file system "
                  "mounted read-only won't do.");
  }
  return passed("workspace", "there, and writable");
}

bool is_legal(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/' || c == '_' || c == '-' || c == '~' || c == ' ' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
}

Check workspace_path(const Findings& f) {
  const auto& workspace = f.facts.workspace;
  if (!workspace.directory) return skipped("workspace_path", "there is no workspace");
  const auto& real = workspace.real_path.empty() ? f.target.workspace : workspace.real_path;
  if (!is_legal(real)) {
    return failed("workspace_path",
                  "the profiler refuses paths with characters such as ':' in them",
                  {{"path", evidence_text(real)}},
                  "Use a workspace whose path holds letters, digits, '.', '_' and '-' only.");
  }
  if ((workspace.mode & 0002U) != 0 && (workspace.mode & 01000U) == 0) {
    return warned("workspace_path", "every user of the target may write to the workspace",
                  {{"path", evidence_text(real)}, {"owner", workspace.owner}},
                  "`chmod o-w` it: others could change what npuprof runs as you.");
  }
  if (!workspace.open_parent.empty()) {
    return warned("workspace_path", "every user may write to a folder above the workspace",
                  {{"path", evidence_text(workspace.open_parent)}},
                  "`chmod o-w` it, or use another workspace.");
  }
  std::string given = f.target.workspace;
  while (given.size() > 1 && given.back() == '/') given.pop_back();
  if (real != given) {
    return warned("workspace_path", "the workspace's path leads through a link",
                  {{"real_path", evidence_text(real)}},
                  "Set workspace to its real path: older profilers refuse links.");
  }
  return passed("workspace_path", "a path that the profiler takes");
}

std::string in_gib(std::uint64_t bytes) {
  const auto tenths = bytes / (gib / 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

Check disk(const Findings& f) {
  const auto& workspace = f.facts.workspace;
  if (!workspace.directory) return skipped("disk", "there is no workspace");
  if (!workspace.free_bytes) {
    return unknown("disk", "the free disk could not be read", nullptr,
                   "See `df " + f.target.workspace + "` on the target.");
  }
  const Json evidence = {{"free_bytes", *workspace.free_bytes}};
  if (workspace.free_inodes && *workspace.free_inodes < least_inodes) {
    return failed("disk",
                  "only " + std::to_string(*workspace.free_inodes) +
                      " more files fit on the workspace's disk",
                  evidence, "Delete files there, or use another disk.");
  }
  if (*workspace.free_bytes < least_disk) {
    return failed("disk", "only " + in_gib(*workspace.free_bytes) + " free in the workspace",
                  evidence,
                  "Free at least 1 GiB (20 GiB for longer windows), or use another disk.");
  }
  if (*workspace.free_bytes < enough_disk) {
    return warned("disk", in_gib(*workspace.free_bytes) + " free in the workspace", evidence,
                  "Enough for short windows; the export may need 20 times the raw data.");
  }
  return passed("disk", in_gib(*workspace.free_bytes) + " free");
}

Check shared_memory(const Findings& f) {
  if (f.facts.shared_memory.empty()) return passed("shared_memory", "no left-over of a profiler");
  Json evidence = Json::array();
  for (const auto& one : f.facts.shared_memory) {
    if (evidence.size() < 10) evidence.push_back(one);
  }
  return warned("shared_memory",
                std::to_string(f.facts.shared_memory.size()) +
                    " left-over(s) of a profiler in /dev/shm: one that was killed, or one at work",
                std::move(evidence),
                "If no profiler runs, delete those that are yours; npuprof deletes only its own.");
}

Check other_profiler(const Findings& f) {
  if (!f.facts.profilers.empty()) {
    return warned("other_profiler", "another profiler is at work: " + f.facts.profilers[0],
                  {{"processes", f.facts.profilers}},
                  "Wait for its end or stop it: two profilers exclude each other on a device "
                  "(EE4004).");
  }
  if (!f.facts.container.empty() || !f.target.container.empty()) {
    return unknown("other_profiler", "none in this container; the host's processes are not seen");
  }
  return passed("other_profiler", "none seen");
}

}  // namespace

std::vector<Check> place_checks(const Findings& findings) {
  return {user(findings),           clock_skew(findings), workspace(findings),
          workspace_path(findings), disk(findings),       shared_memory(findings),
          other_profiler(findings)};
}

}  // namespace npuprof::precheck
