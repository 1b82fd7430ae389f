#include "config/home_directory.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace npuprof {

std::filesystem::path home_directory() {
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> buffer{};
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    return found->pw_dir;
  }
  return "/";
}

std::filesystem::path expand_home(const std::string& path) {
  if (path == "~") return home_directory();
  if (path.starts_with("~/")) return home_directory() / path.substr(2);
  return path;
}

}  // namespace npuprof
