#pragma once

#include <cstdint>
#include <string>

#include "transfer/remote_manifest.hpp"

namespace npuprof::transfer {

// How the stream is packed on the host.
struct Codec {
  std::string program;  // zstd | pigz | gzip | none, as remote_scripts::pack takes it
  unsigned threads = 1;
  std::string reason;  // in words, for the record

  // zstd | gzip | none
  std::string name() const { return program == "pigz" ? "gzip" : program; }
};

// `wanted` is TransferSettings::codec. `bytes_per_second` is what the link was measured to carry
// (0: not measured). What the host lacks falls back, and the reason says so.
Codec choose_codec(const std::string& wanted, const RemoteTools& tools, double bytes_per_second);

}  // namespace npuprof::transfer
