// A small MCP server for the official conformance suite and the benchmarks.
//   conformance_server --stdio
//   conformance_server --http HOST:PORT     prints the address once it listens; no token
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <iostream>
#include <string>
#include <thread>

#include "fixtures.hpp"
#include "transport/http.hpp"
#include "transport/stdio.hpp"

namespace {

using namespace npuprof;

int serve_http(mcp::Server& server, const std::string& address, const std::stop_token& stop) {
  const auto colon = address.rfind(':');
  std::uint16_t port = 0;
  const auto end = address.data() + address.size();
  if (colon == std::string::npos ||
      std::from_chars(address.data() + colon + 1, end, port).ptr != end) {
    std::cerr << "conformance_server: HOST:PORT is needed, not " << address << "\n";
    return 2;
  }
  transport::HttpOptions options;
  options.host = address.substr(0, colon);
  options.port = port;
  auto http = transport::HttpTransport::open(server, options);
  if (!http) {
    std::cerr << "conformance_server: " << http.error().message << "\n";
    return 1;
  }
  std::cout << "http://" << options.host << ":" << (*http)->port() << "/mcp" << std::endl;
  (*http)->serve(stop);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::stop_source stop;
  std::thread([ends, stop]() mutable {
    int signal = 0;
    sigwait(&ends, &signal);
    stop.request_stop();
  }).detach();

  mcp::Server server({.name = "conformance", .version = "1.0.0", .instructions = "For tests."});
  conformance::offer_tools(server);
  conformance::offer_tasks(server);
  conformance::offer_resources(server);
  conformance::offer_prompts(server);
  const std::string mode = argc > 1 ? argv[1] : "";
  int status = 0;
  if (mode == "--stdio" && argc == 2) {
    transport::serve_stdio(server, STDIN_FILENO, STDOUT_FILENO, stop.get_token());
  } else if (mode == "--http" && argc == 3) {
    status = serve_http(server, argv[2], stop.get_token());
  } else {
    std::cerr << "usage: conformance_server --stdio | --http HOST:PORT\n";
    status = 2;
  }
  return status;
}
