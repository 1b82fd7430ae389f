#include "transfer/codec.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace npuprof::transfer {
namespace {

// Above these, packing takes longer than sending the plain bytes.
constexpr double zstd_until = 150e6;
constexpr double gzip_until = 60e6;
constexpr unsigned most_threads = 4;

std::string megabytes(double bytes_per_second) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.0f MB/s", bytes_per_second / 1e6);
  return text;
}

}  // namespace

Codec choose_codec(const std::string& wanted, const RemoteTools& tools, double bytes_per_second) {
  const double idle = std::max(1.0, tools.cores - std::ceil(tools.load));
  const auto threads = std::min(most_threads, static_cast<unsigned>(idle));
  const std::string link =
      bytes_per_second > 0 ? "link carries " + megabytes(bytes_per_second) : "link not measured";

  if (wanted == "none") return {"none", 1, "configured"};
  if (wanted != "gzip" && tools.zstd) {
    if (wanted == "zstd") return {"zstd", threads, "configured"};
    if (bytes_per_second < zstd_until) return {"zstd", threads, link};
    return {"none", 1, link + ": packing would be slower"};
  }
  const std::string lack = wanted == "gzip" ? "configured" : "host has no zstd; " + link;
  const bool forced = wanted == "gzip" || wanted == "zstd";
  if (tools.pigz && (forced || bytes_per_second < zstd_until)) return {"pigz", threads, lack};
  if (tools.gzip && (forced || bytes_per_second < gzip_until)) return {"gzip", 1, lack};
  if (!tools.gzip) return {"none", 1, "host has neither zstd nor gzip"};
  return {"none", 1, lack + ": packing would be slower"};
}

}  // namespace npuprof::transfer
