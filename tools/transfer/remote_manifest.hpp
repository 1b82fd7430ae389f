#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "host/host.hpp"
#include "transfer/artifact.hpp"

namespace npuprof::transfer {

struct RemoteFile {
  std::string path;  // relative, the host's own bytes
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  unsigned mode = 0;  // permission bits
};

// What the host can do for a transfer.
struct RemoteTools {
  bool gnu_tar = false;
  bool zstd = false;
  bool pigz = false;
  bool gzip = false;
  std::string hasher;  // "openssl" | "sha256sum" | "shasum" | "python3"; empty: none
  unsigned cores = 1;  // of the host
  double load = 0;     // processes that run, over the last minute
};

struct RemoteManifest {
  std::vector<RemoteFile> files;        // sorted: essential files first, then by path
  std::vector<LeftOut> left_out;        // what is no regular file
  std::vector<std::string> complaints;  // of the listing, such as directories it may not read
  RemoteTools tools;
};

// Lists what is below `remote_dir` without following links. One command; needs a POSIX shell with
// find and stat (GNU or busybox). NOT_FOUND, PERMISSION_DENIED.
Result<RemoteManifest> read_manifest(Host& host, const std::string& remote_dir,
                                     const std::stop_token& stop);

// Gives the SHA-256 of `paths` as the host's fastest hasher reads them, in any order; what can't be
// read is left out. Returns when all were given.
using HashSink = std::function<void(const std::string& path, const std::string& sha256)>;
Result<void> hash_remote(Host& host, const std::string& remote_dir, const RemoteTools& tools,
                         const std::vector<std::string>& paths, const HashSink& sink,
                         const std::stop_token& stop);

// The SHA-256 of the first `bytes` of one file.
Result<std::string> hash_remote_prefix(Host& host, const std::string& remote_dir,
                                       const RemoteTools& tools, const std::string& path,
                                       std::uint64_t bytes, const std::stop_token& stop);

}  // namespace npuprof::transfer
