#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace npuprof {

// Makes text that came from a host fit to be shown: invalid UTF-8 becomes U+FFFD, escape sequences
// and control characters other than newline and tab are dropped, and more than `limit` bytes are
// cut in the middle, with the count of bytes left out.
std::string clean_host_text(std::string_view raw, std::size_t limit);

}  // namespace npuprof
