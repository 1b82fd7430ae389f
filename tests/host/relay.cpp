#include "relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace npuprof {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Fd listen_somewhere(std::uint16_t& port) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener.get(), 16) != 0 ||
      ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("can't listen on loopback");
  }
  port = ntohs(address.sin_port);
  return listener;
}

Fd connect_to(std::uint16_t port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("can't connect to loopback");
  }
  return socket;
}

struct Pair {
  Fd near;
  Fd far;
  bool dead = false;  // swallows what it gets, for ever
};

// False: one side has closed.
bool pass_on(Pair& pair, bool silent) {
  pair.dead = pair.dead || silent;
  for (const bool from_near : {true, false}) {
    const Fd& from = from_near ? pair.near : pair.far;
    const Fd& to = from_near ? pair.far : pair.near;
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(from.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0) return pair.dead;
    for (ssize_t sent = 0; !pair.dead && sent < count;) {
      const ssize_t done = ::send(to.get(), bytes.data() + sent,
                                  static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
      if (done <= 0) return false;
      sent += done;
    }
  }
  return true;
}

}  // namespace

Relay::Relay(std::uint16_t to)
    : to_(to), listener_(listen_somewhere(port_)), thread_([this] { serve(); }) {}

Relay::~Relay() {
  ::shutdown(listener_.get(), SHUT_RDWR);  // wakes the thread, and ends it
}

void Relay::serve() {
  std::list<Pair> pairs;
  while (true) {
    std::vector<pollfd> fds{{listener_.get(), POLLIN, 0}};
    for (const Pair& pair : pairs) {
      if (pair.dead) continue;
      fds.push_back({pair.near.get(), POLLIN, 0});
      fds.push_back({pair.far.get(), POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), -1);
    if ((fds[0].revents & (POLLHUP | POLLERR)) != 0) return;
    if (fds[0].revents != 0) {
      Fd near(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!near.is_open()) return;
      pairs.push_back({std::move(near), connect_to(to_)});
    }
    for (auto pair = pairs.begin(); pair != pairs.end();) {
      pair = pass_on(*pair, silent_) ? std::next(pair) : pairs.erase(pair);
    }
  }
}

SilentServer::SilentServer() : listener_(listen_somewhere(port_)) {}

void SilentServer::await_client() const {
  pollfd fd{listener_.get(), POLLIN, 0};
  ::poll(&fd, 1, 10'000);
}

Client::Client(std::uint16_t port) : socket_(connect_to(port)) {}

std::string Client::read_line() const {
  std::string line;
  char byte = 0;
  while (byte != '\n' && ::recv(socket_.get(), &byte, 1, 0) == 1) line += byte;
  return line;
}

}  // namespace npuprof
