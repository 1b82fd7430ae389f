#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/scratch_directory.hpp"

// A scratch directory whose files are read and written by name.
class Scratch : public npuprof::fakes::ScratchDirectory {
 public:
  void write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << content;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(*this / name, std::ios::binary | std::ios::ate);
    std::string content(in ? static_cast<std::size_t>(in.tellg()) : 0, '\0');
    in.seekg(0);
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    return content;
  }
  // What lies directly in it, or in `below`.
  std::vector<std::string> names(const std::string& below = ".") const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(*this / below)) {
      out.push_back(entry.path().filename());
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};
