#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::transport {

// One connection to a server on this machine, which sends whatever bytes a test wants it to.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~HttpClient() { hang_up(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }
  void hang_up() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  bool send_text(std::string_view text) const {
    while (!text.empty()) {
      const auto sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until `ending` has come; false where the connection ends or nothing comes for long.
  bool read_until(std::string_view ending, std::chrono::seconds limit = std::chrono::seconds(20)) {
    while (received_.find(ending) == std::string::npos) {
      if (!read_some(limit)) return false;
    }
    return true;
  }

  bool read_some(std::chrono::seconds limit = std::chrono::seconds(20)) {
    pollfd waits{fd_, POLLIN, 0};
    if (poll(&waits, 1, static_cast<int>(std::chrono::milliseconds(limit).count())) <= 0) {
      return false;
    }
    std::array<char, 65536> chunk;
    const auto length = recv(fd_, chunk.data(), chunk.size(), 0);
    if (length <= 0) return false;
    received_.append(chunk.data(), static_cast<std::size_t>(length));
    return true;
  }

  struct Response {
    int status = 0;
    std::string head;
    std::string body;

    std::string header(const std::string& name) const {
      const auto at = head.find("\r\n" + name + ": ");
      if (at == std::string::npos) return "";
      const auto begin = at + name.size() + 4;
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
  };

  // The next response, whole; an event stream up to its end.
  Response receive() {
    Response response;
    if (!read_until("\r\n\r\n")) return response;
    const auto end = received_.find("\r\n\r\n");
    response.head = received_.substr(0, end + 2);
    received_.erase(0, end + 4);
    response.status = std::stoi(response.head.substr(9, 3));
    if (response.header("Transfer-Encoding") == "chunked") {
      if (!read_until("0\r\n\r\n")) ADD_FAILURE() << "the stream did not end";
      const auto last = received_.find("0\r\n\r\n");
      response.body = received_.substr(0, last);
      received_.erase(0, last + 5);
    } else if (const auto length = response.header("Content-Length"); !length.empty()) {
      while (received_.size() < std::stoul(length)) {
        if (!read_some()) break;
      }
      response.body = received_.substr(0, std::stoul(length));
      received_.erase(0, std::stoul(length));
    }
    return response;
  }

  std::string& received() { return received_; }

 private:
  int fd_;
  bool connected_ = false;
  std::string received_;
};

}  // namespace npuprof::transport
