#pragma once

#include <filesystem>
#include <string>

namespace npuprof {

// $HOME, else what the user database says.
std::filesystem::path home_directory();

// "~" and "~/x" become the user's home; anything else stays.
std::filesystem::path expand_home(const std::string& path);

}  // namespace npuprof
