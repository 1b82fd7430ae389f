#pragma once

#include <string>
#include <string_view>

namespace npuprof::evidence {

// Text made fit to stand in HTML and SVG, in elements and in quoted attributes.
std::string escaped(std::string_view text);

// As printf; the result is cut at 2,000 bytes.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* format, ...);

}  // namespace npuprof::evidence
