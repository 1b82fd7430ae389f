#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/host_text.hpp"
#include "core/json.hpp"

// What a host wrote is shown: it must be valid UTF-8 without control characters, within its bound.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  const std::string shown = npuprof::clean_host_text(raw, 200);
  for (const char byte : shown) {
    const auto code = static_cast<unsigned char>(byte);
    if ((code < 0x20 && byte != '\n' && byte != '\t') || code == 0x7f) std::abort();
  }
  if (shown.size() > 400) std::abort();
  (void)npuprof::Json(shown).dump();  // throws for what is not UTF-8
  return 0;
}
