#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The words of a printed table: lines, cells, numbers. Strict: a number is one only if the whole
// word is, and it fits.
namespace npuprof::ascend {

struct Line {
  std::string text;         // without colour codes and the carriage return
  bool clean = true;        // false: it held control characters or was absurdly long; don't read it
  bool terminated = false;  // it ended with a newline, so nothing of it is missing
};

std::vector<Line> lines_of(std::string_view text);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);
std::string lower(std::string_view text);

// The cells of "| a | b |", trimmed; nothing where the line is not closed on both sides.
std::optional<std::vector<std::string_view>> cells_of(std::string_view line);

// Not negative, at most 15 digits.
std::optional<std::int64_t> whole_number(std::string_view word);
std::optional<double> decimal_number(std::string_view word);

}  // namespace npuprof::ascend
