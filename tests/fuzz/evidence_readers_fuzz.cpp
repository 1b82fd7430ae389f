#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "evidence/csv_reader.hpp"
#include "evidence/trace_reader.hpp"

using namespace npuprof::evidence;

namespace {

struct Events : TraceSink {
  std::uint64_t count = 0;
  std::size_t name_bytes = 0;
  void events(std::span<const TraceEvent> batch) override {
    count += batch.size();
    for (const auto& event : batch) name_bytes += event.name.size();
  }
};

struct Cells : CsvSink {
  std::uint64_t rows = 0;
  std::size_t bytes = 0;
  void header(const CsvRow& row) override { read(row); }
  void row(const CsvRow& row) override {
    ++rows;
    read(row);
  }
  void read(const CsvRow& row) {
    for (std::size_t i = 0; i < row.fields() && i < 64; ++i) bytes += row.decoded(i).size();
  }
};

template <typename Reader>
void feed(Reader& reader, std::string_view text, std::size_t piece) {
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.finish();
}

}  // namespace

// The first byte says how the rest is cut into pieces: whatever it says, the same must come out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  Events whole_events;
  TraceReader whole(whole_events);
  feed(whole, text, text.size() + 1);
  Events cut_events;
  TraceReader cut(cut_events, piece);
  feed(cut, text, piece);
  if (whole.facts().whole != cut.facts().whole) std::abort();
  if (whole.facts().whole && (whole_events.count != cut_events.count ||
                              whole_events.name_bytes != cut_events.name_bytes)) {
    std::abort();
  }

  Cells whole_cells;
  CsvReader whole_table(whole_cells);
  feed(whole_table, text, text.size() + 1);
  Cells cut_cells;
  CsvReader cut_table(cut_cells);
  feed(cut_table, text, piece);
  if (whole_cells.rows != cut_cells.rows || whole_cells.bytes != cut_cells.bytes) std::abort();
  return 0;
}
