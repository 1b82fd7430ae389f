#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "mcp/server.hpp"
#include "transport/http_gate.hpp"
#include "transport/http_server.hpp"

namespace npuprof::transport {

struct HttpOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: a free one
  HttpAccess access = {};
  HttpLimits limits = {};
  std::size_t sessions = 256;                // more are answered 503
  std::chrono::seconds session_idle{3600};   // after which one may be dropped for another
  std::chrono::milliseconds patience{1000};  // a call that takes longer is answered by a stream
  std::chrono::milliseconds grace{3000};     // for open calls, at a stop
};

// MCP of both eras at /mcp, bare JSON-RPC at /rpc, and /healthz.
class HttpTransport {
 public:
  // Listens at once. The server must outlive it.
  static Result<std::unique_ptr<HttpTransport>> open(mcp::Server& server, HttpOptions options);
  virtual ~HttpTransport() = default;
  virtual std::uint16_t port() const = 0;

  // Serves until the stop, on this thread.
  virtual void serve(const std::stop_token& stop) = 0;
};

}  // namespace npuprof::transport
