#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "host/host.hpp"
#include "transfer/byte_source.hpp"

namespace npuprof::transfer {

struct StreamEnd {
  Exit exit;
  std::string complaints;  // standard error, at most 16 KiB
};

// Runs a command and hands its standard output to `reader` on a second thread, while it arrives:
// receiving, unpacking and hashing go on at once, and at most a few MB wait in between.
//
// `limit_mbps` of 0: as fast as it goes. `wire_bytes` counts what arrived. `tick` is called on this
// thread, several times a second. When `reader` fails, the command is ended and its error given.
// TIMED_OUT where nothing comes for two minutes.
Result<StreamEnd> stream(Host& host, const Command& command, std::string_view stdin_bytes,
                         double limit_mbps, std::atomic<std::uint64_t>& wire_bytes,
                         const std::function<void()>& tick,
                         const std::function<Result<void>(ByteSource&)>& reader,
                         const std::stop_token& stop);

// What the link to the host carries, in bytes a second, looking at no more than a few MB and a
// fraction of a second. 0 where it can't be told.
double measure_link(Host& host, std::atomic<std::uint64_t>& wire_bytes,
                    const std::stop_token& stop);

}  // namespace npuprof::transfer
