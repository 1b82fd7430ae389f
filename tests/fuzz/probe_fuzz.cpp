#include <cstdint>
#include <string>
#include <string_view>

#include "ascend/failure_texts.hpp"
#include "ascend/probe.hpp"
#include "ascend/versions.hpp"

using namespace npuprof::ascend;

namespace {

std::string as_hex(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "hex:";
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    text += digits[code >> 4];
    text += digits[code & 15];
  }
  return text;
}

}  // namespace

// What a host answers to the probe: as it came over the wire, and as the text of each field.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)read_probe(text);
  (void)read_probe("{\"npuprof_probe\":1" + std::string(text));
  const auto field = as_hex(text);
  std::string document = "{\"npuprof_probe\":1";
  for (const auto* name :
       {"system", "set_env", "devices", "software", "place", "python", "clock"}) {
    document += ",\n\"" + std::string(name) + "\":\"" + field + "\"";
  }
  if (const auto facts = read_probe(document + ",\n\"end\":1}\n")) {
    for (const auto& candidate : facts->cann) (void)cann_version(candidate.files);
  }
  (void)known_failures("python", text);
  (void)compare_versions(text.substr(0, size / 2), text.substr(size / 2));
  (void)in_range(text.substr(0, size / 2), text.substr(size / 2));
  return 0;
}
