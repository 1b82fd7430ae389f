#pragma once

#include <string>

#include "core/json.hpp"
#include "evidence/file_reader.hpp"

namespace npuprof::evidence {

// Gathers a JSON file that is small by its nature. Beyond the limit the text is let go, and `text`
// stays empty.
class JsonText : public FileReader {
 public:
  explicit JsonText(std::size_t limit) : limit_(limit) {}

  void feed(std::string_view piece) override;
  void finish() override {}

  bool too_large() const { return too_large_; }
  const std::string& text() const { return text_; }

 private:
  std::size_t limit_;
  std::string text_;
  bool too_large_ = false;
};

// Without a byte order mark.
std::string_view without_bom(std::string_view text);

}  // namespace npuprof::evidence
