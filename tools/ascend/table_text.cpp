#include "ascend/table_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace npuprof::ascend {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::size_t most_lines = 20'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Drops "ESC [ ... letter"; any other control character stays, and spoils the line.
std::string without_colours(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\x1b' && i + 1 < raw.size() && raw[i + 1] == '[') {
      std::size_t end = i + 2;
      while (end < raw.size() && (raw[end] < '@' || raw[end] > '~')) ++end;
      if (end < raw.size()) {
        i = end;
        continue;
      }
    }
    out += raw[i];
  }
  return out;
}

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty() && lines.size() < most_lines) {
    const auto end = text.find('\n');
    Line line;
    line.terminated = end != std::string_view::npos;
    auto raw = text.substr(0, end);
    text.remove_prefix(line.terminated ? end + 1 : text.size());
    if (raw.size() > longest_line) {
      line.clean = false;
    } else {
      if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
      line.text = without_colours(raw);
      line.clean = std::none_of(line.text.begin(), line.text.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
      });
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<std::vector<std::string_view>> cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 3 || line.front() != '|' || line.back() != '|') return std::nullopt;
  line.remove_prefix(1);
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const auto end = line.find('|');
    cells.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(end + 1);
  }
  return cells;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  if (word.empty() || word.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<double> decimal_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  const auto digits = negative ? word.substr(1) : word;
  const auto point = digits.find('.');
  const auto whole = whole_number(digits.substr(0, point));
  if (!whole) return std::nullopt;
  double value = static_cast<double>(*whole);
  if (point != std::string_view::npos) {
    const auto fraction = digits.substr(point + 1);
    const auto part = whole_number(fraction);
    if (!part) return std::nullopt;
    value += static_cast<double>(*part) / std::pow(10.0, static_cast<double>(fraction.size()));
  }
  return negative ? -value : value;
}

}  // namespace npuprof::ascend
