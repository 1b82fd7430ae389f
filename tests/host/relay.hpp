#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "host/fd.hpp"

namespace npuprof {

// A loopback port that passes bytes on to another one, until it is told to swallow them, as a link
// does that a firewall has forgotten.
class Relay {
 public:
  explicit Relay(std::uint16_t to);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::uint16_t port() const { return port_; }
  void go_silent() { silent_ = true; }
  void speak_again() { silent_ = false; }  // for connections made from now on

 private:
  void serve();

  std::uint16_t to_;
  std::uint16_t port_ = 0;
  Fd listener_;
  std::atomic<bool> silent_ = false;
  std::jthread thread_;
};

// Accepts connections and says nothing.
class SilentServer {
 public:
  SilentServer();
  std::uint16_t port() const { return port_; }
  void await_client() const;  // returns once somebody has connected, after 10 s at the latest

 private:
  std::uint16_t port_ = 0;
  Fd listener_;
};

// A bare TCP connection to a loopback port.
class Client {
 public:
  explicit Client(std::uint16_t port);
  std::string read_line() const;

 private:
  Fd socket_;
};

}  // namespace npuprof
