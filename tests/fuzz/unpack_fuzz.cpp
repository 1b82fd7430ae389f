#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "transfer/unpack.hpp"

namespace fs = std::filesystem;

namespace {

// A folder of this process alone, with the archive beside the place where it is unpacked.
const fs::path& scratch() {
  static const fs::path folder = [] {
    std::string name = (fs::temp_directory_path() / "unpack_fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    std::atexit([] { fs::remove_all(scratch()); });
    return fs::path(name);
  }();
  return folder;
}

}  // namespace

// An archive of an enemy's making may fail, but never writes beside its folder and never leaves
// half of itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fs::path archive = scratch() / "archive.tar";
  std::ofstream(archive, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const fs::path directory = scratch() / "unpacked";
  const auto done =
      npuprof::transfer::unpack(archive, directory, {.max_bytes = 1 << 20, .max_files = 100});
  if (fs::exists(directory) != done.has_value()) std::abort();
  fs::remove_all(directory);
  for (const auto& entry : fs::directory_iterator(scratch())) {
    if (entry.path() != archive) std::abort();
  }
  return 0;
}
