#include "evidence/csv_reader.hpp"

#include "evidence/separators.hpp"

namespace npuprof::evidence {

std::string CsvRow::decoded(std::size_t index) const {
  const std::string_view cell = raw(index);
  std::string text;
  if (index >= cells_.size() || !cells_[index].quoted) return text.assign(cell);
  text.reserve(cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text.push_back(cell[i]);
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return text;
}

void CsvReader::feed(std::string_view piece) {
  if (piece.empty()) return;
  facts_.ends_with_newline = piece.back() == '\n';
  if (skipping_) piece.remove_prefix(skip_record(piece));
  if (pending_.empty() && scan_again_at_ == 0) {
    const std::size_t used = take_records(piece, false);
    pending_.assign(piece.substr(used));
    scan_again_at_ = 0;
  } else {
    pending_.append(piece);
    if (pending_.size() < scan_again_at_) return;
    const std::size_t used = take_records(pending_, false);
    pending_.erase(0, used);
    if (used > 0) scan_again_at_ = 0;
  }
  if (pending_.empty()) return;
  if (pending_.size() > max_record) {
    if (facts_.has_header) {
      ++facts_.rows;
      ++facts_.oversized_rows;
    } else {
      facts_.has_header = facts_.header_oversized = true;
    }
    skipping_ = true;
    at_start_ = false;
    skip_in_quotes_ = false;
    const std::string start = std::move(pending_);
    pending_.clear();
    scan_again_at_ = 0;
    const std::size_t used = skip_record(start);
    if (!skipping_) pending_.assign(start, used);
    return;
  }
  scan_again_at_ = pending_.size() < 4096 ? pending_.size() + 1 : pending_.size() * 2;
}

void CsvReader::finish() {
  if (skipping_) {
    facts_.open_quote_at_end = skip_in_quotes_;
    return;
  }
  take_records(pending_, true);
  pending_.clear();
}

std::size_t CsvReader::skip_record(std::string_view text) {
  Separators separators(text);
  for (std::size_t at = separators.next(); at != Separators::none; at = separators.next()) {
    if (text[at] == '"') skip_in_quotes_ = !skip_in_quotes_;
    if (text[at] == '\n' && !skip_in_quotes_) {
      skipping_ = false;
      return at + 1;
    }
  }
  return text.size();
}

void CsvReader::add_cell(std::size_t begin, std::size_t end, bool quoted) {
  if (cells_.size() >= max_cells) return;
  cells_.push_back(
      {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin), quoted});
}

std::size_t CsvReader::take_records(std::string_view text, bool last) {
  std::size_t record = at_start_ && text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::size_t used = record;
  std::size_t cell = record;  // where the cell begins, its quote left out
  std::size_t closing = 0;    // the quote that ended it
  std::size_t fields = 0;
  enum class State { plain, quoted, closed } state = State::plain;

  const auto end_cell = [&](std::size_t end) {
    const bool quoted = state == State::closed;
    // Text behind a closing quote is odd enough to be kept as it stands.
    add_cell(cell - record, (quoted && closing + 1 == end ? closing : end) - record, quoted);
    ++fields;
    state = State::plain;
  };
  const auto end_record = [&](std::size_t end, std::size_t next) {
    if (end > cell && text[end - 1] == '\r') --end;
    end_cell(end);
    take_record(text.substr(record, end - record), fields);
    cells_.clear();
    fields = 0;
    used = record = cell = next;
  };

  cells_.clear();
  Separators separators(text);
  for (std::size_t at = separators.next(); at != Separators::none; at = separators.next()) {
    const char c = text[at];
    if (state == State::quoted) {
      if (c != '"') continue;
      if (at + 1 < text.size() && text[at + 1] == '"') {
        separators.next();
      } else {
        state = State::closed;
        closing = at;
      }
    } else if (c == ',') {
      end_cell(at);
      cell = at + 1;
    } else if (c == '\n') {
      end_record(at, at + 1);
    } else if (state == State::plain && at == cell) {
      state = State::quoted;
      cell = at + 1;
    }
  }
  if (last && used < text.size()) {
    facts_.open_quote_at_end = state == State::quoted;
    end_record(text.size(), text.size());
  }
  if (used > 0) at_start_ = false;
  return used;
}

void CsvReader::take_record(std::string_view record, std::size_t fields) {
  if (record.empty()) return;
  const CsvRow row(record, cells_, fields);
  if (!facts_.has_header) {
    facts_.has_header = true;
    facts_.columns = fields;
    sink_.header(row);
    return;
  }
  ++facts_.rows;
  facts_.last_row_ragged = fields != facts_.columns;
  if (facts_.last_row_ragged && ++facts_.ragged_rows == 1) facts_.first_ragged_row = facts_.rows;
  sink_.row(row);
}

}  // namespace npuprof::evidence
