#include <algorithm>
#include <vector>

#include "ascend/table_text.hpp"
#include "ascend/versions.hpp"

namespace npuprof::ascend {
namespace {

// What a part of a version counts for, before its number: dev < alpha < beta < rc < (end) < number
// < post. "(end)" stands for a part that is not there, so that 8.0.RC3 < 8.0 and 8.0 < 8.0.1.
enum Rank { dev, alpha, beta, rc, end_of_version, number, post };

struct Part {
  Rank rank = end_of_version;
  std::int64_t value = 0;
  auto operator<=>(const Part&) const = default;
};

std::optional<Rank> rank_of(std::string_view letters) {
  if (letters == "dev") return dev;
  if (letters == "alpha" || letters == "a") return alpha;
  if (letters == "beta" || letters == "b") return beta;
  if (letters == "rc" || letters == "c") return rc;
  if (letters == "post" || letters == "t" || letters == "sp" || letters == "p") return post;
  return std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

std::optional<std::vector<Part>> parts_of(std::string_view version) {
  auto text = lower(trimmed(version.substr(0, version.find('+'))));
  if (text.starts_with("v")) text.erase(0, 1);
  if (text.empty() || !is_digit(text[0]) || text.size() > 60) return std::nullopt;
  std::vector<Part> parts;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_digit(text[at])) {
      auto stop = at;
      while (stop < text.size() && is_digit(text[stop])) ++stop;
      const auto value = whole_number(std::string_view(text).substr(at, stop - at));
      if (!value) return std::nullopt;
      // The number of a word: "rc1", "post13"
      const bool of_word = !parts.empty() && parts.back().value < 0;
      if (of_word) {
        parts.back().value = *value;
      } else {
        parts.push_back({number, *value});
      }
      at = stop;
    } else if (is_letter(text[at])) {
      auto stop = at;
      while (stop < text.size() && is_letter(text[stop])) ++stop;
      const auto rank = rank_of(std::string_view(text).substr(at, stop - at));
      if (!rank) return std::nullopt;
      if (!parts.empty() && parts.back().value < 0) parts.back().value = 0;
      parts.push_back({*rank, -1});
      at = stop;
    } else if (text[at] == '.' || text[at] == '-' || text[at] == '_') {
      ++at;
    } else {
      return std::nullopt;
    }
  }
  if (parts.back().value < 0) parts.back().value = 0;
  return parts;
}

// Numbers before the first word, so that 8.1.RC1 and 8.1.0.RC1 are the same release.
std::vector<Part> padded(std::vector<Part> parts, std::size_t numbers) {
  auto first_word = std::find_if(parts.begin(), parts.end(),
                                 [](const Part& part) { return part.rank != number; });
  const auto count = static_cast<std::size_t>(first_word - parts.begin());
  if (count < numbers) parts.insert(first_word, numbers - count, Part{number, 0});
  return parts;
}

std::size_t leading_numbers(const std::vector<Part>& parts) {
  return static_cast<std::size_t>(
      std::find_if(parts.begin(), parts.end(),
                   [](const Part& part) { return part.rank != number; }) -
      parts.begin());
}

}  // namespace

std::optional<std::strong_ordering> compare_versions(std::string_view a, std::string_view b) {
  auto left = parts_of(a);
  auto right = parts_of(b);
  if (!left || !right) return std::nullopt;
  const auto numbers = std::max(leading_numbers(*left), leading_numbers(*right));
  left = padded(*left, numbers);
  right = padded(*right, numbers);
  const auto size = std::max(left->size(), right->size());
  left->resize(size);
  right->resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto order = (*left)[i] <=> (*right)[i];
    if (order != std::strong_ordering::equal) return order;
  }
  return std::strong_ordering::equal;
}

bool in_range(std::string_view version, std::string_view range) {
  for (const auto condition : words_of(range)) {
    if (condition == "*") continue;
    const auto sign_end = condition.find_first_not_of("<>=");
    if (sign_end == std::string_view::npos || sign_end == 0) return false;
    const auto sign = condition.substr(0, sign_end);
    const auto order = compare_versions(version, condition.substr(sign_end));
    if (!order) return false;
    const bool holds = sign == "<"    ? *order < 0
                       : sign == "<=" ? *order <= 0
                       : sign == ">"  ? *order > 0
                       : sign == ">=" ? *order >= 0
                       : sign == "==" ? *order == 0
                                      : false;
    if (!holds) return false;
  }
  return true;
}

std::string base_version(std::string_view version) {
  const auto text = trimmed(version.substr(0, version.find('+')));
  std::size_t end = 0;
  int dots = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
    if (text[end] == '.' && (++dots > 2 || end + 1 >= text.size() || !is_digit(text[end + 1]))) {
      break;
    }
    ++end;
  }
  return std::string(text.substr(0, end));
}

bool is_prerelease(std::string_view version) {
  const auto parts = parts_of(version);
  return parts && std::any_of(parts->begin(), parts->end(),
                              [](const Part& part) { return part.rank < end_of_version; });
}

}  // namespace npuprof::ascend
