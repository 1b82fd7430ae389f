#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "runner/runner.hpp"

namespace npuprof::runner {
namespace {

TEST(RunnerFiles, AreAllThereIsAndUnchanged) {
  const std::filesystem::path folder = std::string(NPUPROF_SOURCE_DIR) + "/tools/runner";
  std::set<std::string> named;
  for (const auto& file : files()) {
    std::ifstream source(folder / file.name, std::ios::binary);
    std::stringstream text;
    text << source.rdbuf();
    EXPECT_EQ(text.str(), file.text) << file.name;
    EXPECT_FALSE(file.text.empty()) << file.name;
    named.insert(std::string(file.name));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".py") {
      EXPECT_TRUE(named.contains(entry.path().filename().string())) << entry.path();
    }
  }
}

TEST(RunnerFiles, HaveTheTwoPrograms) {
  EXPECT_NE(supervisor_source().find("def start("), std::string_view::npos);
  EXPECT_NE(runner_source().find("def run("), std::string_view::npos);
}

}  // namespace
}  // namespace npuprof::runner
