#include "transfer/fetch.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "core/error_codes.hpp"
#include "core/sha256.hpp"
#include "transfer/archive.hpp"
#include "transfer/codec.hpp"
#include "transfer/fetch_round.hpp"
#include "transfer/home.hpp"
#include "transfer/progress_meter.hpp"
#include "transfer/remote_manifest.hpp"
#include "transfer/safe_path.hpp"
#include "transfer/stream.hpp"

namespace npuprof::transfer {
namespace {

using Steady = std::chrono::steady_clock;

constexpr unsigned deepest = 32;
constexpr int most_attempts = 3;                     // at one file
constexpr int most_idle_looks = 6;                   // while all that is left keeps changing
constexpr std::uint64_t reserve = 16 << 20;          // bytes to leave free at home
constexpr std::uint64_t worth_measuring = 32 << 20;  // bytes; below, the codec hardly matters
constexpr std::size_t most_named = 5;
constexpr std::size_t most_listed = 100;

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

std::string plural(std::size_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

class Fetching {
 public:
  Fetching(Host& host, const FetchRequest& request, const ProgressSink& progress,
           const std::stop_token& stop)
      : host_(host), request_(request), meter_(progress), stop_(stop) {}

  Result<Artifact> run() {
    if (auto sane = check_request(); !sane) return fail(sane.error());
    const auto begin = Steady::now();
    meter_.report("manifest", true);
    auto manifest = read_manifest(host_, request_.remote_dir, stop_);
    if (!manifest) return fail(manifest.error());
    now_ = std::move(*manifest);
    auto files = selected();
    if (files.empty()) return nothing_there();
    auto home =
        Home::open(request_.home, host_.description(), request_.remote_dir, request_.overwrite);
    if (!home) return fail(home.error());
    home_ = std::move(*home);
    if (!request_.unpack) {
      if (auto known = archive_that_is_there(files)) return *known;
    }
    if (auto fits = check_room(files); !fits) return fail(fits.error());
    if (auto fetched = rounds(); !fetched) return fail(fetched.error());
    meter_.report("verify", true);
    if (!failures_.empty()) return fail(failure());

    if (auto cleared = set_vanished_aside(); !cleared) return fail(cleared.error());
    Artifact artifact = collect();
    artifact.seconds = seconds_since(begin);
    if (request_.archive) {
      if (auto packed = make_archive(artifact); !packed) return fail(packed.error());
    }
    if (!request_.unpack) {
      if (auto removed = home_->remove_directory(); !removed) return fail(removed.error());
      artifact.directory.clear();
    }
    return artifact;
  }

 private:
  Result<void> check_request() const {
    const auto refuse = [](const std::string& why) {
      return fail({.code = codes::invalid_arguments,
                   .message = why + "; nothing was fetched",
                   .who = Who::agent});
    };
    if (!request_.remote_dir.starts_with('/'))
      return refuse("The remote directory must be absolute");
    if (!request_.archive && !request_.unpack) {
      return refuse("Neither the archive nor the unpacked directory is wanted");
    }
    return {};
  }

  // What is wanted of what is there now, without the names that may not be made at home.
  std::vector<RemoteFile> selected() {
    std::vector<RemoteFile> files;
    for (const auto& file : now_.files) {
      if (!request_.selection.wants(file.path)) continue;
      const auto safe = safe_path(file.path, deepest);
      if (safe && *safe == file.path) {
        files.push_back(file);
      } else {
        note_failure(file.path, codes::archive_unsafe,
                     "can't be kept at home" + (safe ? "" : ": " + safe.error().message));
      }
    }
    return files;
  }

  tl::unexpected<Error> nothing_there() const {
    if (!failures_.empty()) return fail(failure());
    std::string others;
    if (!now_.left_out.empty()) {
      others = "; it holds " + plural(now_.left_out.size(), "link, FIFO or the like") +
               ", such as " + shown_path(now_.left_out.front().path);
    }
    if (!now_.complaints.empty()) others += "; the host says: " + now_.complaints.front();
    return fail({.code = codes::no_output,
                 .message = shown_path(request_.remote_dir) + " on " + host_.description() +
                            " holds no file that was asked for (" +
                            request_.selection.description() + ")" + others,
                 .remedy = "Check whether the profile was written and exported there, and what "
                           "files were asked for."});
  }

  Result<void> check_room(const std::vector<RemoteFile>& files) {
    std::uint64_t total = 0;
    std::uint64_t missing = 0;
    for (const auto& file : files) {
      total += file.size;
      if (home_->verified(file)) {
        reused_ += file.size;
      } else {
        missing += file.size - home_->begun_bytes(file);
      }
    }
    meter_.expect(total, reused_, files.size());
    const auto cap = request_.settings.max_artifact_bytes;
    if (cap > 0 && total > cap) {
      return fail({.code = codes::too_large,
                   .message = "The files are " + std::to_string(total) +
                              " bytes together, more than the configured " + std::to_string(cap) +
                              "; nothing was fetched",
                   .remedy = "Ask for \"essential\" files or globs, or raise "
                             "transfer.max_artifact_bytes.",
                   .details = {{"bytes", total}, {"limit", cap}}});
    }
    // Profiles pack to a third or less; half leaves room for others.
    const auto needed = missing + (request_.archive ? total / 2 : 0) + reserve;
    const auto free = request_.tuning.free_bytes.value_or(home_->free_bytes());
    if (missing > 0 && needed > free) {
      return fail({.code = codes::no_space,
                   .message = request_.home.string() + " has " + std::to_string(free) +
                              " bytes free, and about " + std::to_string(needed) +
                              " are needed; nothing was fetched",
                   .remedy = "Free some space, ask for \"essential\" files, or do without the "
                             "archive.",
                   .details = {{"free_bytes", free}, {"needed_bytes", needed}}});
    }
    return {};
  }

  // Takes what is missing, and looks again, until all that is there is at home as it is there.
  Result<void> rounds() {
    std::map<std::string, RemoteFile> before;
    std::map<std::string, int> attempts;
    int idle_looks = 0;
    int reconnects = 0;
    while (true) {
      const auto files = selected();
      std::vector<RemoteFile> due;
      std::vector<RemoteFile> moving;
      essential_left_ = 0;
      for (const auto& file : files) {
        seen_.insert(file.path);
        if (failures_.contains(file.path) || home_->verified(file)) continue;
        const auto known = before.find(file.path);
        const bool changed =
            known != before.end() &&
            (known->second.size != file.size || known->second.modified_ns != file.modified_ns);
        if (attempts[file.path] >= most_attempts) {
          give_up(file, changed);
          continue;
        }
        (changed ? moving : due).push_back(file);
        if (is_essential(file.path)) ++essential_left_;
      }
      if (essential_left_ == 0) tell_essential();
      if (due.empty() && moving.empty()) break;
      if (!due.empty()) {
        const std::uint64_t received = meter_.received_bytes;
        auto taken = one_round(due, attempts);
        if (!taken) {
          const bool again = taken.error().code == codes::connection_lost &&
                             meter_.received_bytes > received &&
                             reconnects++ < request_.tuning.reconnects;
          if (!again || !wait(request_.tuning.settle)) return taken;
          for (const auto& file : due) --attempts[file.path];
        }
      } else if (++idle_looks > most_idle_looks) {
        for (const auto& file : moving) give_up(file, true);
        break;
      } else if (!wait(request_.tuning.settle)) {
        return fail({.code = codes::cancelled,
                     .message = "The transfer was cancelled; what is verified is kept"});
      }
      before.clear();
      for (const auto& file : files) before[file.path] = file;
      auto again = read_manifest(host_, request_.remote_dir, stop_);
      if (!again && again.error().code == codes::not_found) {
        now_.files.clear();
        note_failure(request_.remote_dir, codes::remote_changed, "vanished while it was fetched");
        break;
      }
      if (!again) return fail(again.error());
      now_ = std::move(*again);
    }
    note_vanished();
    for (const auto& complaint : now_.complaints) {
      note_failure(complaint, codes::permission_denied, "could not be listed");
    }
    return {};
  }

  Result<void> one_round(const std::vector<RemoteFile>& due, std::map<std::string, int>& attempts) {
    if (!codec_) {
      std::uint64_t bytes = 0;
      for (const auto& file : due) bytes += file.size;
      const bool measure = request_.settings.codec == "auto" && bytes > worth_measuring;
      codec_ = choose_codec(request_.settings.codec, now_.tools,
                            measure ? measure_link(host_, meter_.wire_bytes, stop_) : 0);
    }
    bool again = false;
    for (const auto& file : due) again = ++attempts[file.path] > 1 || again;
    const RoundSetting setting{
        .host = host_,
        .request = request_,
        .tools = now_.tools,
        .codec = *codec_,
        .home = *home_,
        .meter = meter_,
        .kept = [this](const RemoteFile& file, const std::string& sha256) { kept(file, sha256); }};
    auto end = fetch_round(setting, due, again, stop_);
    if (!end) return fail(end.error());
    mismatched_ = std::move(end->mismatched);
    if (!end->trouble.empty()) trouble_ = std::move(end->trouble);
    return {};
  }

  void kept(const RemoteFile& file, const std::string& sha256) {
    ++meter_.files_done;
    if (request_.file_ready) {
      request_.file_ready({.path = file.path,
                           .bytes = file.size,
                           .sha256 = sha256,
                           .modified_ns = file.modified_ns});
    }
    if (is_essential(file.path) && --essential_left_ == 0) tell_essential();
  }

  void tell_essential() {
    if (!std::exchange(essential_told_, true) && request_.essential_ready) {
      request_.essential_ready();
    }
  }

  void note_failure(const std::string& path, const char* code, const std::string& why) {
    failures_.try_emplace(path, std::pair(code, why));
  }

  void give_up(const RemoteFile& file, bool changed) {
    if (changed) {
      note_failure(file.path, codes::remote_changed, "keeps changing on the host");
    } else if (mismatched_.contains(file.path)) {
      note_failure(file.path, codes::checksum_mismatch,
                   "does not arrive with the SHA-256 that the host gives for it");
    } else {
      note_failure(file.path, codes::permission_denied, "could not be read on the host");
    }
  }

  void note_vanished() {
    std::set<std::string> there;
    for (const auto& file : now_.files) there.insert(file.path);
    for (const auto& path : seen_) {
      if (there.contains(path) || home_->journal().files().contains(path)) continue;
      note_failure(path, codes::remote_changed, "vanished from the host before it was fetched");
    }
  }

  // Files of an earlier call that the host no longer has are not mixed with those of this one.
  Result<void> set_vanished_aside() {
    std::set<std::string> there;
    for (const auto& file : now_.files) there.insert(file.path);
    std::vector<std::string> gone;
    for (const auto& [path, file] : home_->journal().files()) {
      if (!there.contains(path)) gone.push_back(path);
    }
    for (const auto& path : gone) {
      if (auto moved = home_->set_aside(path); !moved) return moved;
      now_.left_out.push_back(
          {path, "no longer on the host; the copy from before was moved to profile_l1.gone"});
    }
    return {};
  }

  Error failure() const {
    Error error{.code = failures_.begin()->second.first, .message = {}};
    Json listed = Json::array();
    std::size_t named = 0;
    for (const auto& [path, why] : failures_) {
      if (named++ < most_named) {
        error.message += (error.message.empty() ? "" : "; ") + shown_path(path) + " " + why.second;
      }
      if (listed.size() < most_listed) {
        listed.push_back({{"path", shown_path(path)}, {"code", why.first}, {"reason", why.second}});
      }
    }
    if (named > most_named)
      error.message += "; and " + std::to_string(named - most_named) + " more";
    const auto whole = home_ ? home_->journal().files().size() : 0;
    error.message +=
        ". " + plural(whole, "file") + " verified at home " + (whole == 1 ? "is" : "are") + " kept";
    if (!trouble_.empty()) error.message += ". The host says: " + trouble_;
    error.remedy = error.code == codes::remote_changed
                       ? "Call again once nothing writes there any more: only what is missing is "
                         "fetched."
                       : "Mend it on the host (or ask for other files), then call again: only what "
                         "is missing is fetched.";
    error.retryable = error.code == codes::remote_changed;
    error.details = {{"files", std::move(listed)}, {"failed", failures_.size()}, {"kept", whole}};
    return error;
  }

  Artifact collect() {
    Artifact artifact{.archive_path = {},
                      .archive_bytes = 0,
                      .archive_sha256 = {},
                      .directory = home_->directory(),
                      .bytes = 0,
                      .files = {},
                      .left_out = now_.left_out,
                      .codec = codec_ ? codec_->name() : "nothing",
                      .codec_reason = codec_ ? codec_->reason : "all was at home already",
                      .wire_bytes = meter_.wire_bytes,
                      .fetched_bytes = meter_.received_bytes,
                      .reused_bytes = reused_};
    for (const auto& file : selected()) {
      if (auto whole = home_->verified(file)) artifact.files.push_back(std::move(*whole));
    }
    std::sort(artifact.files.begin(), artifact.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    for (const auto& file : artifact.files) artifact.bytes += file.bytes;
    return artifact;
  }

  static std::string contents_of(const std::vector<ArtifactFile>& files) {
    Sha256 sum;
    for (const auto& file : files) {
      sum.update(file.path);
      sum.update(std::string_view("\0", 1));
      sum.update(file.sha256);
    }
    return sum.hex();
  }

  // True where the archive at home is the one the journal knows, and that holds these files.
  bool archive_is_whole(const std::vector<ArtifactFile>& files) const {
    const auto& known = home_->journal().archive();
    if (!known || known->contents != contents_of(files)) return false;
    const auto sum = sha256_of_file(home_->archive_path());
    return sum && *sum == known->sha256;
  }

  void set_archive(Artifact& artifact) const {
    artifact.archive_path = home_->archive_path();
    artifact.archive_bytes = home_->journal().archive()->bytes;
    artifact.archive_sha256 = home_->journal().archive()->sha256;
  }

  Result<void> make_archive(Artifact& artifact) {
    if (!archive_is_whole(artifact.files)) {
      const auto begin = Steady::now();
      const auto packed = pack_archive(
          home_->directory(), artifact.files, "profile_l1", home_->archive_path(), 0,
          [&](std::uint64_t done) { meter_.report_bytes("archive", done, artifact.bytes); }, stop_);
      if (!packed) return fail(packed.error());
      artifact.archive_seconds = seconds_since(begin);
      auto noted =
          home_->journal().add(HomeJournal::Archive{.contents = contents_of(artifact.files),
                                                    .bytes = packed->bytes,
                                                    .sha256 = packed->sha256});
      if (!noted) return noted;
    }
    set_archive(artifact);
    return {};
  }

  // Where only the archive is wanted, its files are not at home any more once it is made.
  std::optional<Artifact> archive_that_is_there(const std::vector<RemoteFile>& files) {
    Artifact artifact = collect();
    artifact.files.clear();
    artifact.directory.clear();
    artifact.bytes = 0;
    for (const auto& file : files) {
      const auto known = home_->journal().files().find(file.path);
      if (known == home_->journal().files().end() || known->second.size != file.size ||
          known->second.modified_ns != file.modified_ns) {
        return std::nullopt;
      }
      artifact.files.push_back({.path = file.path,
                                .bytes = file.size,
                                .sha256 = known->second.sha256,
                                .modified_ns = file.modified_ns});
      artifact.bytes += file.size;
    }
    std::sort(artifact.files.begin(), artifact.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    if (!archive_is_whole(artifact.files)) return std::nullopt;
    artifact.reused_bytes = artifact.bytes;
    set_archive(artifact);
    return artifact;
  }

  bool wait(std::chrono::milliseconds time) const {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop_, time, [] { return false; });
    return !stop_.stop_requested();
  }

  Host& host_;
  const FetchRequest& request_;
  ProgressMeter meter_;
  const std::stop_token& stop_;
  RemoteManifest now_;
  std::unique_ptr<Home> home_;
  std::optional<Codec> codec_;
  std::uint64_t reused_ = 0;
  std::set<std::string> seen_;
  std::set<std::string> mismatched_;
  std::string trouble_;
  std::map<std::string, std::pair<const char*, std::string>> failures_;
  std::atomic<std::size_t> essential_left_ = 0;
  bool essential_told_ = false;
};

}  // namespace

Result<Artifact> fetch(Host& host, const FetchRequest& request, const ProgressSink& progress,
                       const std::stop_token& stop) {
  return Fetching(host, request, progress, stop).run();
}

}  // namespace npuprof::transfer
