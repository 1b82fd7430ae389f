#pragma once

#include <cstddef>
#include <string_view>

namespace npuprof::evidence {

// Follows the structure of JSON text byte by byte: strings, and how deep it stands in brackets.
// Can be fed in pieces. Does not check anything else.
class JsonScan {
 public:
  // Looks at the byte and returns true where it is part of the structure (not inside a string).
  bool step(char c) {
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      return false;
    }
    if (c == '"') {
      in_string_ = true;
      return false;
    }
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') --depth_;
    return true;
  }

  bool in_string() const { return in_string_; }
  long depth() const { return depth_; }  // negative: more was closed than opened

 private:
  long depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

inline bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace npuprof::evidence
