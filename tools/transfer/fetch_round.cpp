#include "transfer/fetch_round.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <thread>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "transfer/intake.hpp"
#include "transfer/receiver.hpp"
#include "transfer/remote_scripts.hpp"
#include "transfer/stream.hpp"

namespace npuprof::transfer {
namespace {

using namespace std::chrono_literals;

// Errors after which the next file, or a second try, may still go well.
bool is_of_the_stream(const Error& error) {
  return error.code == codes::archive_broken;
}

class Round {
 public:
  Round(const RoundSetting& setting, const std::vector<RemoteFile>& files,
        const std::stop_token& stop)
      : setting_(setting),
        files_(files),
        pass_on_(stop, [this] { stop_.request_stop(); }),
        intake_(
            setting.home.tree(), setting.home.holding(),
            [&](const RemoteFile& file, const std::string& sha256) -> Result<void> {
              if (auto kept = setting.home.keep(file, sha256); !kept) return kept;
              setting.kept(file, sha256);
              return {};
            },
            [this] { stop_.request_stop(); }),
        receiver_(
            setting.home.holding(), setting.home.first_free_number(),
            setting.request.tuning.resume_from,
            {.arrived = [&](const RemoteFile& file, const std::string& name,
                            const std::string& sha256) { intake_.arrived(file, name, sha256); },
             .begun = [&](const RemoteFile& file,
                          const std::string& name) { return setting.home.note_begun(file, name); }},
            setting.meter.received_bytes) {}

  Result<RoundEnd> run(bool one_by_one) {
    auto hashing = std::async(std::launch::async, [&] { return hash(); });
    auto streamed = take_rests();
    if (streamed) streamed = take_archive(one_by_one);
    if (!streamed && !is_of_the_stream(streamed.error())) stop_.request_stop();
    auto hashed = wait_for(hashing);
    auto finished = intake_.finish();
    // Whichever failed first has stopped the others; theirs is not the cause.
    for (const auto* result : {&finished, &streamed, &hashed}) {
      if (!*result && !is_of_the_stream(result->error()) &&
          result->error().code != codes::cancelled) {
        return fail(result->error());
      }
    }
    if (stop_.stop_requested() && !gave_up_hashing_) {
      return fail({.code = codes::cancelled,
                   .message = "The transfer was cancelled; what is verified is kept",
                   .remedy = "Call again to fetch the rest.",
                   .who = Who::agent,
                   .retryable = true});
    }
    if (!streamed) end_.trouble += (end_.trouble.empty() ? "" : "; ") + streamed.error().message;
    end_.mismatched = intake_.mismatched();
    return std::move(end_);
  }

 private:
  Result<void> hash() {
    std::vector<std::string> paths;
    for (const auto& file : files_) paths.push_back(file.path);
    auto hashed = hash_remote(
        setting_.host, setting_.request.remote_dir, setting_.tools, paths,
        [&](const std::string& path, const std::string& sum) { intake_.hashed(path, sum); },
        stop_.get_token());
    if (hashed || (hashed.error().code == codes::cancelled && gave_up_hashing_)) return {};
    stop_.request_stop();
    return hashed;
  }

  // What is still being hashed when all has arrived may be a file that grows for ever: then its
  // sum is of no use.
  Result<void> wait_for(std::future<Result<void>>& hashing) {
    while (hashing.wait_for(1s) != std::future_status::ready) {
      setting_.meter.report("verify");
      const auto now = read_manifest(setting_.host, setting_.request.remote_dir, stop_.get_token());
      if (!now) break;
      std::map<std::string, const RemoteFile*> there;
      for (const auto& file : now->files) there[file.path] = &file;
      const auto waiting = intake_.waiting();
      const bool useless =
          waiting.empty() || std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
            const auto found = there.find(file.path);
            return std::find(waiting.begin(), waiting.end(), file.path) != waiting.end() &&
                   (found == there.end() || found->second->size != file.size ||
                    found->second->modified_ns != file.modified_ns);
          });
      if (!useless) continue;
      gave_up_hashing_ = true;
      stop_.request_stop();
      break;
    }
    return hashing.get();
  }

  Result<void> run_stream(const Command& command, const std::string& paths,
                          const std::function<Result<void>(ByteSource&)>& reader) {
    auto end = stream(
        setting_.host, command, paths, setting_.request.settings.limit_mbps,
        setting_.meter.wire_bytes, [&] { setting_.meter.report("fetch"); }, reader,
        stop_.get_token());
    if (!end) return fail(end.error());
    if (!end->complaints.empty() && end_.trouble.size() < 2'000) {
      end_.trouble += (end_.trouble.empty() ? "" : "\n") + clean_host_text(end->complaints, 1'000);
    }
    return {};
  }

  // The files an earlier call has begun, from where it broke off.
  Result<void> take_rests() {
    for (const auto& file : files_) {
      const auto bytes = setting_.home.begun_bytes(file);
      if (bytes == 0) continue;
      const auto name = setting_.home.begun_name(file);
      auto handle = setting_.home.reopen_begun(file);
      if (!handle) return fail(handle.error());
      IncomingFile incoming(std::move(*handle), file.path);
      const auto here = incoming.take_over(bytes);
      if (!here) return fail(here.error());
      const auto there = hash_remote_prefix(setting_.host, setting_.request.remote_dir,
                                            setting_.tools, file.path, bytes, stop_.get_token());
      if (!there && there.error().code != codes::io_error) return fail(there.error());
      if (!there || *here != *there) {
        setting_.home.forget_begun(file.path);
        continue;  // then it comes with the archive, whole
      }
      setting_.meter.received_bytes += bytes;
      taken_.insert(file.path);
      auto took = run_stream(
          remote_scripts::command(remote_scripts::rest_of_file,
                                  {setting_.request.remote_dir, setting_.codec.program,
                                   std::to_string(setting_.codec.threads), "./" + file.path,
                                   std::to_string(bytes + 1)}),
          {},
          [&](ByteSource& packed) { return receiver_.take_rest(packed, file, incoming, name); });
      if (!took && !is_of_the_stream(took.error())) return took;
    }
    return {};
  }

  Result<void> take_archive(bool one_by_one) {
    std::map<std::string, RemoteFile> wanted;
    std::string paths;
    for (const auto& file : files_) {
      if (taken_.contains(file.path)) continue;
      wanted[file.path] = file;
      paths += "./" + file.path;
      paths += '\0';
    }
    if (wanted.empty()) return {};
    const char* kind = setting_.tools.gnu_tar ? "gnu" : one_by_one ? "single" : "plain";
    return run_stream(remote_scripts::command(remote_scripts::pack,
                                              {setting_.request.remote_dir, setting_.codec.program,
                                               std::to_string(setting_.codec.threads), kind}),
                      paths,
                      [&](ByteSource& packed) { return receiver_.take_archive(packed, wanted); });
  }

  const RoundSetting& setting_;
  const std::vector<RemoteFile>& files_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> pass_on_;
  Intake intake_;
  Receiver receiver_;
  std::set<std::string> taken_;
  std::atomic<bool> gave_up_hashing_ = false;
  RoundEnd end_;
};

}  // namespace

Result<RoundEnd> fetch_round(const RoundSetting& setting, const std::vector<RemoteFile>& files,
                             bool one_by_one, const std::stop_token& stop) {
  return Round(setting, files, stop).run(one_by_one);
}

}  // namespace npuprof::transfer
