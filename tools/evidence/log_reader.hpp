#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evidence/file_reader.hpp"

namespace npuprof::evidence {

struct LogFacts {
  std::uint64_t errors = 0;
  std::vector<std::string> first_errors;  // at most 5, cleaned
};

// Counts the error lines of the profiler's own logs, which say what an "all done" at the end hides.
class LogReader : public FileReader {
 public:
  explicit LogReader(LogFacts& facts) : facts_(facts) {}
  void feed(std::string_view piece) override;
  void finish() override;

 private:
  void line(std::string_view text);

  LogFacts& facts_;
  std::string rest_;
};

}  // namespace npuprof::evidence
