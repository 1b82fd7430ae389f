#include "evidence/log_reader.hpp"

#include "core/host_text.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_line = 4096;

}  // namespace

void LogReader::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (rest_.size() < max_line) rest_.append(part.substr(0, max_line));
    if (end == std::string_view::npos) return;
    line(rest_);
    rest_.clear();
    piece.remove_prefix(end + 1);
  }
}

void LogReader::finish() {
  line(rest_);
}

void LogReader::line(std::string_view text) {
  const bool error = text.find("[ERROR]") != std::string_view::npos ||
                     text.find("Traceback (most recent call last)") != std::string_view::npos;
  if (!error) return;
  ++facts_.errors;
  if (facts_.first_errors.size() < 5) facts_.first_errors.push_back(clean_host_text(text, 300));
}

}  // namespace npuprof::evidence
