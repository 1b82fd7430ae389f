#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "mcp/reply.hpp"
#include "transport/signal.hpp"

namespace npuprof::transport {

// Writes messages, one a line, to a descriptor whose reader may be slow. What the reader does not
// take at once is kept, and written by a thread of its own; a caller waits only while too much is
// kept, and the thread that gathers never does. For any thread.
class LineWriter : public mcp::Reply, public mcp::Outlet {
 public:
  explicit LineWriter(int fd);
  ~LineWriter() override;

  void event(std::string text) override { write_line(std::move(text)); }
  void finish(mcp::Answer answer) override { write_line(std::move(answer.text)); }
  void send(std::string text) override { write_line(std::move(text)); }

  // Between the two, the messages of the calling thread are put together; one thread at a time.
  void begin_gathering();
  void end_gathering();

  // Whether so much is kept that no more should be asked for; `room_signal` is raised when that
  // ends.
  bool is_full() const;
  const Signal& room_signal() const { return room_; }

  // Waits until all is written; false where that takes longer.
  bool flush(std::chrono::milliseconds limit);

  // Drops what is kept and everything to come.
  void end();

 private:
  void write_line(std::string text);
  void put_locked(std::string&& text);
  std::size_t try_write(std::string_view bytes);
  void write_backlog();

  int fd_;
  int own_fd_ = -1;
  bool is_socket_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::thread::id gatherer_;
  std::string gathered_;
  std::deque<std::string> backlog_;
  std::size_t backlog_bytes_ = 0;
  std::thread backlog_writer_;
  std::atomic<bool> ended_ = false;
  Signal ended_signal_;
  Signal room_;
};

}  // namespace npuprof::transport
