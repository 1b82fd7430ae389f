#include "evidence/json_text.hpp"

namespace npuprof::evidence {

void JsonText::feed(std::string_view piece) {
  if (too_large_) return;
  if (text_.size() + piece.size() > limit_) {
    too_large_ = true;
    text_.clear();
    text_.shrink_to_fit();
    return;
  }
  text_.append(piece);
}

std::string_view without_bom(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace npuprof::evidence
