#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/file_reader.hpp"

namespace npuprof::evidence {

// One record; valid only during the call that it is given to.
class CsvRow {
 public:
  struct Cell {
    std::uint32_t begin;
    std::uint32_t size;
    bool quoted;  // may hold doubled quotes
  };

  CsvRow(std::string_view text, std::span<const Cell> cells, std::size_t fields)
      : text_(text), cells_(cells), fields_(fields) {}

  std::size_t fields() const { return fields_; }  // also those beyond the limit on cells

  // The cell without its outer quotes; inner quotes stay doubled. Empty beyond the last.
  std::string_view raw(std::size_t index) const {
    if (index >= cells_.size()) return {};
    return text_.substr(cells_[index].begin, cells_[index].size);
  }

  std::string decoded(std::size_t index) const;

 private:
  std::string_view text_;
  std::span<const Cell> cells_;
  std::size_t fields_;
};

class CsvSink {
 public:
  virtual ~CsvSink() = default;
  virtual void header(const CsvRow& row) = 0;
  virtual void row(const CsvRow& row) = 0;
};

// Reads comma separated values as Python's csv module does: CRLF or LF, quotes in quotes, cells
// with line breaks, a BOM, ragged rows; blank lines are left out.
class CsvReader : public FileReader {
 public:
  struct Facts {
    std::uint64_t rows = 0;              // without the header
    std::uint64_t ragged_rows = 0;       // with another number of fields than the header
    std::uint64_t first_ragged_row = 0;  // 1 is the first after the header
    std::uint64_t oversized_rows = 0;    // longer than max_record: counted, not read
    std::uint64_t columns = 0;
    bool has_header = false;
    bool header_oversized = false;  // the header itself is: no column is known
    bool ends_with_newline = false;
    bool last_row_ragged = false;
    bool open_quote_at_end = false;  // the file ends inside a quoted cell
  };

  static constexpr std::size_t max_record = std::size_t{4} << 20;
  static constexpr std::size_t max_cells = std::size_t{1} << 16;

  explicit CsvReader(CsvSink& sink) : sink_(sink) {}

  void feed(std::string_view piece) override;
  void finish() override;
  const Facts& facts() const { return facts_; }

 private:
  // Gives every whole record of `text` to the sink and returns how much of it was used up.
  std::size_t take_records(std::string_view text, bool last);
  std::size_t skip_record(std::string_view text);
  void take_record(std::string_view record, std::size_t fields);
  void add_cell(std::size_t begin, std::size_t end, bool quoted);

  CsvSink& sink_;
  Facts facts_;
  std::string pending_;
  std::size_t scan_again_at_ = 0;  // a long record is looked at again only once it has doubled
  std::vector<CsvRow::Cell> cells_;
  bool at_start_ = true;   // nothing of the file has been taken yet: a BOM may come
  bool skipping_ = false;  // inside an oversized record
  bool skip_in_quotes_ = false;
};

}  // namespace npuprof::evidence
