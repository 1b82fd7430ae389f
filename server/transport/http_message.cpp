#include "transport/http_message.hpp"

#include <algorithm>
#include <charconv>

namespace npuprof::transport {
namespace {

constexpr std::size_t max_headers = 100;
constexpr std::size_t max_chunk_line = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

const std::string* HttpHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

HttpRequest HttpParser::take() {
  HttpRequest whole = std::move(request_);
  request_ = {};
  stage_ = Stage::head;
  chunked_ = expects_continue_ = false;
  remaining_ = scanned_ = 0;
  return whole;
}

HttpParser::Outcome HttpParser::feed(std::string& input) {
  const auto line_of = [&](std::size_t limit, std::string& line) {
    const auto end = input.find("\r\n");
    if (end == std::string::npos) return input.size() > limit ? -1 : 0;
    if (end > limit) return -1;
    line = input.substr(0, end);
    input.erase(0, end + 2);
    return 1;
  };
  while (true) {
    switch (stage_) {
      case Stage::head: {
        if (scanned_ == 0) {  // empty lines before a request are let pass
          while (input.starts_with("\r\n")) input.erase(0, 2);
        }
        const auto end = input.find("\r\n\r\n", scanned_ < 3 ? 0 : scanned_ - 3);
        if (end == std::string::npos) {
          scanned_ = input.size();
          return {Event::need_more, input.size() > limits_.head_bytes ? 431 : 0};
        }
        if (end > limits_.head_bytes) return {Event::need_more, 431};
        const int error = read_head(std::string_view(input).substr(0, end));
        if (error != 0) return {Event::need_more, error};
        input.erase(0, end + 4);
        scanned_ = 0;
        stage_ = chunked_ ? Stage::chunk_size : Stage::body;
        return {Event::head, 0};
      }
      case Stage::body: {
        const auto part = std::min(remaining_, input.size());
        if (request_.body.empty() && part == input.size() && part == remaining_) {
          request_.body.swap(input);
        } else {
          request_.body.append(input, 0, part);
          input.erase(0, part);
        }
        remaining_ -= part;
        if (remaining_ > 0) return {};
        stage_ = Stage::done;
        return {Event::request, 0};
      }
      case Stage::chunk_size: {
        std::string line;
        const int found = line_of(max_chunk_line, line);
        if (found <= 0) return {Event::need_more, found < 0 ? 400 : 0};
        const auto size_text = std::string_view(line).substr(0, line.find(';'));
        const auto end = size_text.data() + size_text.size();
        const auto [rest, error] = std::from_chars(size_text.data(), end, remaining_, 16);
        if (error != std::errc() || rest != end) return {Event::need_more, 400};
        if (remaining_ > limits_.body_bytes - request_.body.size()) return {Event::need_more, 413};
        stage_ = remaining_ == 0 ? Stage::trailer : Stage::chunk;
        break;
      }
      case Stage::chunk: {
        const auto part = std::min(remaining_, input.size());
        request_.body.append(input, 0, part);
        input.erase(0, part);
        remaining_ -= part;
        if (remaining_ > 0) return {};
        stage_ = Stage::chunk_end;
        break;
      }
      case Stage::chunk_end:
        if (input.size() < 2) return {};
        if (!input.starts_with("\r\n")) return {Event::need_more, 400};
        input.erase(0, 2);
        stage_ = Stage::chunk_size;
        break;
      case Stage::trailer: {
        std::string line;
        const int found = line_of(limits_.head_bytes, line);
        if (found <= 0) return {Event::need_more, found < 0 ? 431 : 0};
        scanned_ += line.size() + 2;
        if (scanned_ > limits_.head_bytes) return {Event::need_more, 431};
        if (!line.empty()) break;  // trailers are read and dropped
        scanned_ = 0;
        stage_ = Stage::done;
        return {Event::request, 0};
      }
      case Stage::done:
        return {Event::request, 0};
    }
  }
}

int HttpParser::read_head(std::string_view text) {
  auto line_end = text.find("\r\n");
  const auto first = text.substr(0, line_end);
  const auto method_end = first.find(' ');
  const auto target_end = first.rfind(' ');
  if (method_end == std::string_view::npos || target_end == method_end) return 400;
  const auto method = first.substr(0, method_end);
  const auto target = first.substr(method_end + 1, target_end - method_end - 1);
  const auto version = first.substr(target_end + 1);
  if (!is_token(method) || target.empty() || target.front() != '/') return 400;
  if (target.find_first_of(" \t") != std::string_view::npos || !is_field_value(target)) return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return version.starts_with("HTTP/") ? 505 : 400;
  request_.method = method;
  request_.target = target.substr(0, target.find('?'));
  request_.keep_alive = version == "HTTP/1.1";
  bool has_host = false;
  bool has_length = false;
  while (line_end != std::string_view::npos) {
    text.remove_prefix(line_end + 2);
    line_end = text.find("\r\n");
    const auto line = text.substr(0, line_end);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return 400;
    const auto name_text = line.substr(0, colon);
    const auto value = trimmed(line.substr(colon + 1));
    if (!is_token(name_text) || !is_field_value(value)) return 400;
    if (request_.headers.size() >= max_headers) return 431;
    std::string name(name_text);
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (name == "host") {
      if (has_host) return 400;
      has_host = true;
    } else if (name == "content-length") {
      const auto end = value.data() + value.size();
      std::size_t length = 0;
      const auto [rest, error] = std::from_chars(value.data(), end, length);
      if (value.empty() || rest != end || has_length) return 400;
      if (error == std::errc::result_out_of_range || length > limits_.body_bytes) return 413;
      if (error != std::errc()) return 400;
      has_length = true;
      remaining_ = length;
    } else if (name == "transfer-encoding") {
      if (chunked_ || !equal_ignoring_case(value, "chunked")) return 501;
      chunked_ = true;
    } else if (name == "connection") {
      if (equal_ignoring_case(value, "close")) request_.keep_alive = false;
      if (equal_ignoring_case(value, "keep-alive")) request_.keep_alive = true;
    } else if (name == "expect") {
      expects_continue_ = equal_ignoring_case(value, "100-continue");
    }
    request_.headers.emplace_back(std::move(name), value);
  }
  if (!has_host && version == "HTTP/1.1") return 400;
  if (chunked_ && (has_length || version == "HTTP/1.0")) return 400;
  return 0;
}

}  // namespace npuprof::transport
