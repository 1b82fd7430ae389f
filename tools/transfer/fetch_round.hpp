#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "host/host.hpp"
#include "transfer/codec.hpp"
#include "transfer/fetch.hpp"
#include "transfer/home.hpp"
#include "transfer/progress_meter.hpp"
#include "transfer/remote_manifest.hpp"

namespace npuprof::transfer {

// What a round is made with; everything outlives it.
struct RoundSetting {
  Host& host;
  const FetchRequest& request;
  const RemoteTools& tools;
  const Codec& codec;
  Home& home;
  ProgressMeter& meter;
  std::function<void(const RemoteFile&, const std::string& sha256)> kept;  // on another thread
};

struct RoundEnd {
  std::set<std::string> mismatched;  // arrived, but with another SHA-256 than the host gave
  std::string trouble;               // what the host's programs said, for messages
};

// Takes `files` once: what arrives and agrees with the host's SHA-256 is put in its place. Files
// that did not are for the caller to find out about. `one_by_one`: each in an archive of its own
// (a tar that can't pack hard links as files). Fails with what nothing more can be fetched after:
// the host's own errors, NO_SPACE, CANCELLED.
Result<RoundEnd> fetch_round(const RoundSetting& setting, const std::vector<RemoteFile>& files,
                             bool one_by_one, const std::stop_token& stop);

}  // namespace npuprof::transfer
