#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

#include "core/error.hpp"
#include "host/fd.hpp"

namespace npuprof {

// A connected socket, each address of the name tried in turn. HOST_UNREACHABLE says which of name,
// network and port was at fault; CANCELLED.
Result<Fd> tcp_connect(const std::string& host, std::uint16_t port,
                       std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);

}  // namespace npuprof
