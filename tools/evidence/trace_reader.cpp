#include "evidence/trace_reader.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "evidence/decimal.hpp"

namespace npuprof::evidence {
namespace od = simdjson::ondemand;

struct TraceReader::Parser {
  od::parser parser;
};

namespace {

constexpr int max_depth = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A number of JSON's grammar, of any size (flow ids may be too big for any integer).
bool is_json_number(std::string_view text) {
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > from;
  };
  if (at < text.size() && text[at] == '-') ++at;
  if (at < text.size() && text[at] == '0') {
    ++at;
  } else if (!digits()) {
    return false;
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

bool is_literal(std::string_view token) {
  while (!token.empty() && is_json_space(token.back())) token.remove_suffix(1);
  return token == "null" || token == "true" || token == "false" || is_json_number(token);
}

// The text of a string's token, its quotes and what follows them left out.
std::string_view unquoted(std::string_view token) {
  while (!token.empty() && is_json_space(token.back())) token.remove_suffix(1);
  return token.size() < 2 ? std::string_view{} : token.substr(1, token.size() - 2);
}

// On-demand parsing checks only what it is asked for, so every value is asked for.
bool is_valid(od::value value, int depth) {
  const std::string_view token = value.raw_json_token();
  if (depth > max_depth || token.empty()) return false;
  switch (token.front()) {
    case '"':  // closed and without control characters: simdjson has looked at that already
      return true;
    case '{': {
      od::object object;
      if (value.get_object().get(object)) return false;
      for (auto field : object) {
        od::value inner;
        if (field.error() || field.value().get(inner) || !is_valid(inner, depth + 1)) return false;
      }
      return true;
    }
    case '[': {
      od::array array;
      if (value.get_array().get(array)) return false;
      for (auto element : array) {
        od::value inner;
        if (element.get(inner) || !is_valid(inner, depth + 1)) return false;
      }
      return true;
    }
    default:
      return is_literal(token);
  }
}

bool read_args(od::value args, TraceEvent& event) {
  if (args.raw_json_token().front() != '{') return is_valid(args, 2);
  od::object object;
  if (args.get_object().get(object)) return false;
  for (auto field : object) {
    od::value value;
    od::raw_json_string key;
    if (field.key().get(key) || field.value().get(value)) return false;
    const std::string_view token = value.raw_json_token();
    if (!token.empty() && token.front() == '"' && (key == "name" || key == "labels")) {
      event.metadata = unquoted(token);
    } else if (!is_valid(value, 3)) {
      return false;
    }
  }
  return true;
}

bool read_event(od::value element, TraceEvent& event) {
  od::object object;
  if (element.get_object().get(object)) return false;
  for (auto field : object) {
    od::value value;
    od::raw_json_string key;
    if (field.key().get(key) || field.value().get(value)) return false;
    if (key == "args") {
      if (!read_args(value, event)) return false;
      continue;
    }
    const std::string_view token = value.raw_json_token();
    if (token.empty() || token.front() == '{' || token.front() == '[') {
      if (!is_valid(value, 2)) return false;
      continue;
    }
    const bool text = token.front() == '"';
    if (!text && !is_literal(token)) return false;
    const std::string_view bare = text ? unquoted(token) : token;
    if (key == "name") {
      event.name = text ? bare : std::string_view{};
    } else if (key == "ph") {
      event.phase = bare.size() == 1 ? bare.front() : '\0';
    } else if (key == "ts") {
      event.start_ns = nanoseconds(bare);
    } else if (key == "dur") {
      event.duration_us = number(bare);
    } else if (key == "pid") {
      event.pid = integer(bare);
    } else if (key == "cat") {
      event.category = text ? bare : std::string_view{};
    }
  }
  return true;
}

}  // namespace

TraceReader::TraceReader(TraceSink& sink, std::size_t batch_bytes)
    : sink_(sink), batch_bytes_(batch_bytes), parser_(std::make_unique<Parser>()), buffer_("[") {}

TraceReader::~TraceReader() = default;

void TraceReader::fail(std::string problem, bool truncated) {
  part_ = Part::broken;
  facts_.problem = std::move(problem);
  facts_.whole = false;
  facts_.truncated = truncated;
  facts_.problem_at = buffer_offset_;
  buffer_ = "[";
}

void TraceReader::feed(std::string_view piece) {
  while (!piece.empty() && part_ != Part::broken) {
    if (part_ != Part::array) {
      const std::size_t used =
          part_ == Part::long_event ? skip_long_event(piece) : take_outside(piece);
      facts_.bytes += used;
      piece.remove_prefix(used);
      continue;
    }
    // No more than a batch at a time is copied, so that what is parsed is still in the cache.
    const std::string_view part = piece.substr(0, batch_bytes_);
    buffer_.append(part);
    facts_.bytes += part.size();
    piece.remove_prefix(part.size());
    if (buffer_.size() > std::max(batch_bytes_, try_again_at_)) take_batches(false);
  }
  facts_.bytes += piece.size();
}

std::size_t TraceReader::take_outside(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size(); ++at) {
    const char c = piece[at];
    const bool in_object = part_ == Part::object;
    const bool array_begins = in_object ? object_byte(c) : part_ == Part::start && c == '[';
    if (array_begins) {
      events_seen_ = true;
      buffer_ = "[";
      buffer_offset_ = facts_.bytes + at + 1;
      part_ = Part::array;
      return at + 1;
    }
    if (part_ == Part::broken) return at;
    if (in_object || is_json_space(c)) continue;
    if (part_ == Part::start) {
      const std::uint64_t place = facts_.bytes + at;
      if (place < 3 && "\xEF\xBB\xBF"[place] == c) continue;
      if (c != '{') {
        fail("this is not JSON: it begins with neither [ nor {");
        return at;
      }
      facts_.in_object = true;
      part_ = Part::object;
      object_byte(c);
      continue;
    }
    buffer_offset_ = facts_.bytes + at;
    fail("something follows the end of the events");
    return at;
  }
  return piece.size();
}

bool TraceReader::object_byte(char c) {
  const bool was_in_string = outer_.in_string();
  const bool structural = outer_.step(c);
  if (outer_.depth() == 1 && key_wanted_) {
    if (!was_in_string && outer_.in_string()) {
      key_.clear();
      key_open_ = true;
    } else if (key_open_ && was_in_string) {
      if (outer_.in_string() && key_.size() < 64) key_.push_back(c);
      if (!outer_.in_string()) key_open_ = false;
    }
  }
  if (!structural) return false;
  if (outer_.depth() <= 0) {
    if (outer_.depth() < 0 || c != '}') {
      fail("the brackets do not match");
    } else if (events_seen_) {
      part_ = Part::after_all;
      facts_.whole = true;
    } else {
      fail("the object has no traceEvents");
    }
    return false;
  }
  if (outer_.depth() == 1 && c == ':') key_wanted_ = false;
  if (outer_.depth() == 1 && c == ',') key_wanted_ = true;
  return outer_.depth() == 2 && c == '[' && key_ == "traceEvents" && !key_wanted_ && !events_seen_;
}

std::optional<std::size_t> TraceReader::guess_border() const {
  std::size_t end = buffer_.size();
  for (int tries = 0; tries < 64 && end > 1; ++tries) {
    const auto* found = static_cast<const char*>(memrchr(buffer_.data() + 1, '{', end - 1));
    if (found == nullptr) return {};
    const auto brace = static_cast<std::size_t>(found - buffer_.data());
    end = brace;
    std::size_t after = brace + 1;
    while (after < buffer_.size() && is_json_space(buffer_[after])) ++after;
    if (after >= buffer_.size() || buffer_[after] != '"') continue;
    std::size_t comma = brace - 1;
    while (comma > 1 && is_json_space(buffer_[comma])) --comma;
    if (comma < 2 || buffer_[comma] != ',') continue;
    std::size_t before = comma - 1;
    while (before > 1 && is_json_space(buffer_[before])) --before;
    if (buffer_[before] == '}') return comma;
  }
  return {};
}

bool TraceReader::parse(std::size_t end) {
  batch_.clear();
  buffer_.reserve(buffer_.size() + simdjson::SIMDJSON_PADDING);
  od::document document;
  od::array array;
  const simdjson::padded_string_view text(buffer_.data(), end, buffer_.capacity());
  if (parser_->parser.iterate(text).get(document) || document.get_array().get(array)) return false;
  for (auto element : array) {
    od::value value;
    TraceEvent event;
    if (element.get(value) || !read_event(value, event)) return false;
    batch_.push_back(event);
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

void TraceReader::drop(std::size_t end) {
  buffer_offset_ += end - 1;
  buffer_.erase(1, end - 1);
}

void TraceReader::take_batches(bool last) {
  const auto take = [&](std::size_t end) {
    const char kept = buffer_[end];
    buffer_[end] = ']';
    const bool good = parse(end + 1) && (!batch_.empty() || (kept == ']' && !after_comma_));
    if (good) {
      facts_.events += batch_.size();
      sink_.events(batch_);
      after_comma_ = kept == ',';
      drop(end + 1);
      try_again_at_ = 0;
    } else {
      buffer_[end] = kept;
    }
    return good;
  };

  if (!last) {
    if (const auto border = guess_border(); border && take(*border)) return;
  }
  JsonScan scan;
  std::size_t comma = 0;
  for (std::size_t at = 1; at < buffer_.size(); ++at) {
    if (!scan.step(buffer_[at])) continue;
    if (scan.depth() == 0 && buffer_[at] == ',') comma = at;
    if (scan.depth() >= 0) continue;
    if (buffer_[at] != ']' || !take(at)) {
      if (comma != 0) take(comma);
      return fail("this is not JSON: an event can't be parsed");
    }
    part_ = facts_.in_object ? Part::object : Part::after_array;
    if (facts_.in_object) {
      outer_.step(']');
    } else {
      facts_.whole = true;
    }
    const std::string rest = buffer_.substr(1);
    buffer_ = "[";
    facts_.bytes -= rest.size();
    std::size_t used = 0;
    while (used < rest.size() && part_ != Part::broken) {
      const std::size_t step = take_outside(std::string_view(rest).substr(used));
      facts_.bytes += step;
      used += step;
      if (step == 0) break;
    }
    facts_.bytes += rest.size() - used;
    return;
  }
  if (comma != 0 && !take(comma)) return fail("this is not JSON: an event can't be parsed");
  if (!last && buffer_.size() > max_event) {
    ++facts_.events;
    ++facts_.oversized_events;
    outer_event_ = scan;
    buffer_ = "[";
    part_ = Part::long_event;
    return;
  }
  try_again_at_ = buffer_.size() * 2;
}

std::size_t TraceReader::skip_long_event(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size(); ++at) {
    if (!outer_event_.step(piece[at])) continue;
    const bool ends = outer_event_.depth() < 0;
    if (!ends && (outer_event_.depth() != 0 || piece[at] != ',')) continue;
    part_ = Part::array;
    buffer_ = "[";
    buffer_offset_ = facts_.bytes + at + (ends ? 0 : 1);
    after_comma_ = !ends;
    return at + (ends ? 0 : 1);
  }
  return piece.size();
}

void TraceReader::finish() {
  if (part_ == Part::array) take_batches(true);
  switch (part_) {
    case Part::start:
      return fail(facts_.bytes == 0 ? "the file is empty" : "the file holds nothing but blanks",
                  true);
    case Part::object:
      return fail("the text ends before the object is closed", true);
    case Part::array:
    case Part::long_event:
      return fail("the text ends before the array of events is closed", true);
    case Part::after_array:
    case Part::after_all:
    case Part::broken:
      return;
  }
}

}  // namespace npuprof::evidence
