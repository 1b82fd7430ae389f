#pragma once

#include <string>

namespace npuprof::mcp {

// The response to one request, as JSON text without a line end.
struct Answer {
  std::string text;
  int http_status = 200;  // what a transport that has such a thing says beside it
};

// Where the answer to one message goes, and what belongs to it until then. Made by a transport; all
// may be called from any thread, one at a time.
class Reply {
 public:
  virtual ~Reply() = default;

  // A notification or a request to the client that belongs to the message.
  virtual void event(std::string text) = 0;

  // The answer; once, and nothing after it.
  virtual void finish(Answer answer) = 0;

  // No answer comes, by the client's own wish.
  virtual void abandon() {}

  // Lets the client come back for the rest, where the transport can.
  virtual void pause() {}
};

// Where a session's messages go that belong to no request.
class Outlet {
 public:
  virtual ~Outlet() = default;
  virtual void send(std::string text) = 0;
};

}  // namespace npuprof::mcp
