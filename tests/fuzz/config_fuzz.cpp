#include <cstdint>
#include <string_view>

#include "config/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)npuprof::parse_config({reinterpret_cast<const char*>(data), size}, "config.toml");
  return 0;
}
