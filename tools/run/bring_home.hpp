#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

#include "config/config.hpp"
#include "core/call_context.hpp"
#include "core/clock.hpp"
#include "host/host.hpp"
#include "run/record.hpp"

namespace npuprof::run {

struct BringHome {
  std::filesystem::path home =
      {};              // profile_l1/, profile_l1.tar.gz and manifest.json are made there
  Json files = "all";  // "all", "essential", or a list of globs
  bool archive = true;
  bool unpack = true;
  bool overwrite = false;
};

// Where a run's profile is on its host.
std::string remote_profile(const Record& record);

// Fetches and verifies what a run left on its host, writes `artifact` of the record. What was
// verified stays where it fails, and the next call goes on from there.
Result<void> fetch_home(Host& host, const TransferSettings& settings, const BringHome& what,
                        Record& record, const std::function<void(const Progress&)>& progress,
                        const std::stop_token& stop);

// Reads what was fetched, fills checks, anomalies, warmup, verdict, summary and the files' rows,
// and writes manifest.json. `host` names the host. False: stopped before the end, nothing changed.
Result<bool> judge(const BringHome& what, const std::string& host, Record& record, Clock& clock,
                   const std::stop_token& stop);

}  // namespace npuprof::run
