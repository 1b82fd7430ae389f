#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/file_reader.hpp"
#include "evidence/json_scan.hpp"

namespace npuprof::evidence {

// An event of a Chrome trace; its texts are valid only during the call that it is given to, and are
// as they stand in the file (escapes not undone).
struct TraceEvent {
  std::string_view name;
  std::string_view category;
  std::string_view metadata;  // args.name, or args.labels, of a metadata event
  char phase = 0;             // 'X', 'M', 'C', 's', 'f', ...; 0: none given
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> start_ns;
  std::optional<double> duration_us;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void events(std::span<const TraceEvent> batch) = 0;
};

// Reads trace_view.json: a bare array of events, or an object with traceEvents. The text is cut at
// borders between events into batches that simdjson parses, so that the file is never held.
//
// A border is guessed by its look ("}, {" and a quote) and proven by the parse: JSON read from a
// known start has only one reading, so a batch that parses as whole values ended at a true border.
// A guess that fails is replaced by a scan of every byte.
class TraceReader : public FileReader {
 public:
  struct Facts {
    bool whole = false;  // an array of events, read to its closing bracket and nothing behind it
    bool in_object = false;
    std::uint64_t events = 0;
    std::uint64_t oversized_events = 0;  // longer than max_event: counted, not read
    std::uint64_t bytes = 0;
    std::string problem;           // why it is not whole, "" where it is
    std::uint64_t problem_at = 0;  // the byte where the last whole event before the problem ended
    bool truncated = false;        // the problem is that the text ends too early
  };

  static constexpr std::size_t max_event = std::size_t{8} << 20;

  explicit TraceReader(TraceSink& sink, std::size_t batch_bytes = std::size_t{256} << 10);
  ~TraceReader() override;

  void feed(std::string_view piece) override;
  void finish() override;
  const Facts& facts() const { return facts_; }

 private:
  enum class Part { start, object, array, long_event, after_array, after_all, broken };
  struct Parser;

  std::size_t take_outside(std::string_view piece);  // every part but `array`
  bool object_byte(char c);                          // true: traceEvents begins behind it
  std::size_t skip_long_event(std::string_view piece);
  void take_batches(bool last);
  bool parse(std::size_t end);  // buffer_[0, end), which is made an array
  void drop(std::size_t end);
  void fail(std::string problem, bool truncated = false);
  std::optional<std::size_t> guess_border() const;

  TraceSink& sink_;
  std::size_t batch_bytes_;
  std::unique_ptr<Parser> parser_;
  Facts facts_;
  Part part_ = Part::start;
  std::string buffer_;               // "[" and the events not parsed yet
  std::uint64_t buffer_offset_ = 0;  // of buffer_[1] in the file
  std::size_t try_again_at_ = 0;
  bool after_comma_ = false;  // an event must follow
  std::vector<TraceEvent> batch_;

  JsonScan outer_;        // of the object round traceEvents
  JsonScan outer_event_;  // of a long event
  std::string key_;       // the object's key being read, or read last
  bool key_open_ = false;
  bool key_wanted_ = true;
  bool events_seen_ = false;
};

}  // namespace npuprof::evidence
