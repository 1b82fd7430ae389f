#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "config/config.hpp"
#include "core/error.hpp"
#include "host/host.hpp"
#include "transfer/artifact.hpp"
#include "transfer/selection.hpp"
#include "transfer/transfer_progress.hpp"

namespace npuprof::transfer {

// For tests and measurements.
struct FetchTuning {
  std::uint64_t resume_from = 8 << 20;      // bytes; smaller files are fetched whole again
  std::chrono::milliseconds settle{500};    // how long a changing file is left alone
  int reconnects = 2;                       // after a break that came after some progress
  std::optional<std::uint64_t> free_bytes;  // as if so much were free at home
};

struct FetchRequest {
  std::string remote_dir;  // absolute, on the host
  std::filesystem::path
      home;  // existing directory; profile_l1/ and profile_l1.tar.gz are made there
  Selection selection = Selection::all();
  bool archive = true;     // leave profile_l1.tar.gz beside the directory
  bool unpack = true;      // leave the directory itself; one of the two must be wanted
  bool overwrite = false;  // replace what something else than this fetch left in `home`
  TransferSettings settings = {};

  // Called as files become whole and verified, from a thread of the transfer: be quick, or hand it
  // on. `essential_ready` comes once, when every essential file that was selected is at its place.
  std::function<void(const ArtifactFile&)> file_ready = {};
  std::function<void()> essential_ready = {};

  FetchTuning tuning = {};
};

// Brings a directory of a host home, verified: every file under a temporary name first, synced,
// compared with the size and SHA-256 that the host gives for it, then renamed into
// <home>/profile_l1/ and made read-only. Calling it again with the same home and remote_dir fetches
// only what is missing or has changed; <home>/transfer.jsonl holds what is known.
//
// A file that an earlier call brought and that the host no longer has is moved to
// <home>/profile_l1.gone/ and told as left out.
//
// On failure, whatever was verified stays for the next call, and nothing half-written does (save
// the verified beginning of large files, in <home>/profile_l1.partial/, where a next call can use
// it). A file that vanished, changed or could not be read is named in the error's message and
// details.files; everything else is fetched first.
//
// Fails with what Host::start fails with, NOT_FOUND (remote_dir), NO_OUTPUT (nothing there that was
// selected), ALREADY_EXISTS, NO_SPACE, TOO_LARGE (settings.max_artifact_bytes; nothing was
// fetched), REMOTE_CHANGED, PERMISSION_DENIED, CHECKSUM_MISMATCH, ARCHIVE_UNSAFE (a name that may
// not be made at home), CANCELLED, CONNECTION_LOST.
//
// One fetch a home at a time: the caller holds the run's lock.
Result<Artifact> fetch(Host& host, const FetchRequest& request, const ProgressSink& progress,
                       const std::stop_token& stop);

}  // namespace npuprof::transfer
