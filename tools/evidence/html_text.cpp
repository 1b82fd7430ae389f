#include "evidence/html_text.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "core/host_text.hpp"

namespace npuprof::evidence {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean_host_text(text, 4000)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string format_text(const char* format, ...) {
  std::string text(2000, '\0');
  va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  text.resize(static_cast<std::size_t>(std::clamp(size, 0, 1999)));
  return text;
}

}  // namespace npuprof::evidence
