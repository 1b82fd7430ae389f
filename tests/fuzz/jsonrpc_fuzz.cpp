#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jsonrpc/message.hpp"
#include "jsonrpc/read.hpp"

// What is read can be written again: valid UTF-8, and the same document when it is read once more.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  npuprof::jsonrpc::Reader reader;
  const auto document = reader.read({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  const auto again = reader.read(document->dump());
  if (!again || *again != *document) std::abort();
  return 0;
}
