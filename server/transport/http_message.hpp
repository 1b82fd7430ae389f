#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npuprof::transport {

struct HttpHead {
  std::string method;
  std::string target;  // the path alone; a query is cut off
  bool keep_alive = true;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, values trimmed

  // The first value of that name (given in lower case), or null.
  const std::string* header(std::string_view name) const;
};

struct HttpRequest : HttpHead {
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = {};
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool close = false;
};

std::string_view reason_of(int status);

struct HttpParseLimits {
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = 16 << 20;
};

// Reads one request after another from bytes as they come. Whatever two readers could understand
// differently (two lengths, a length beside chunks, folded or malformed headers, a second Host) is
// refused.
class HttpParser {
 public:
  explicit HttpParser(HttpParseLimits limits) : limits_(limits) {}

  enum class Event { need_more, head, request };

  // Takes bytes from the front of `input`, and erases what it took. `head` comes once a request,
  // before its body is read; `request` when it is whole. An error is the status to refuse with; the
  // connection can't be used any more then.
  struct Outcome {
    Event event = Event::need_more;
    int error = 0;
  };
  Outcome feed(std::string& input);

  const HttpRequest& request() const { return request_; }
  bool expects_continue() const { return expects_continue_; }
  bool in_head() const { return stage_ == Stage::head; }
  std::size_t announced_body() const { return chunked_ ? 0 : remaining_; }
  HttpRequest take();  // the whole request; the parser is ready for the next

 private:
  enum class Stage { head, body, chunk_size, chunk, chunk_end, trailer, done };
  int read_head(std::string_view text);

  const HttpParseLimits limits_;
  Stage stage_ = Stage::head;
  HttpRequest request_;
  bool chunked_ = false;
  bool expects_continue_ = false;
  std::size_t remaining_ = 0;  // of the body or the chunk
  std::size_t scanned_ = 0;
};

}  // namespace npuprof::transport
