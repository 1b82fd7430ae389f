#include "evidence/decimal.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace npuprof::evidence {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '"';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::int64_t ns_per_us = 1000;

}  // namespace

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

std::optional<std::int64_t> nanoseconds(std::string_view microseconds) {
  std::string_view text = trimmed(microseconds);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return {};
  std::int64_t whole = 0;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (whole > (std::numeric_limits<std::int64_t>::max() / ns_per_us - 9) / 10 - 1) return {};
    whole = whole * 10 + (text[at] - '0');
  }
  std::int64_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    int digits = 0;
    bool round_up = false;
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++digits) {
      if (digits < 3) fraction = fraction * 10 + (text[at] - '0');
      if (digits == 3) round_up = text[at] >= '5';
    }
    for (; digits < 3; ++digits) fraction *= 10;
    if (round_up) ++fraction;
  }
  if (at != text.size()) {  // an exponent: no producer is known to write one for a time of day
    const auto value = number(microseconds);
    if (!value || std::abs(*value) > 9e15) return {};
    return std::llround(*value * ns_per_us);
  }
  const std::int64_t value = whole * ns_per_us + fraction;
  return negative ? -value : value;
}

std::optional<double> number(std::string_view cell) {
  const std::string_view text = trimmed(cell);
  if (text.empty() || (!is_digit(text.front()) && text.front() != '-' && text.front() != '.')) {
    return {};  // also what from_chars would take for infinity or not a number
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<std::int64_t> integer(std::string_view cell) {
  const std::string_view text = trimmed(cell);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty()) return {};
  if (end == text.data() + text.size()) return value;
  if (std::string_view(end, text.data() + text.size() - end) == ".0") return value;
  return {};
}

}  // namespace npuprof::evidence
