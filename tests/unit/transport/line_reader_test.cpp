#include "transport/line_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace npuprof::transport {
namespace {

std::vector<std::string> lines_of(LineReader& reader, std::string_view bytes, std::size_t chunk) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const auto space = reader.space();
    EXPECT_GT(space.size, 0u);
    const auto length = std::min({chunk, space.size, bytes.size()});
    std::memcpy(space.begin, bytes.data(), length);
    reader.received(length);
    bytes.remove_prefix(length);
    while (const auto line = reader.next()) {
      lines.emplace_back(line->too_long ? "<too long>" : std::string(line->text));
    }
  }
  return lines;
}

TEST(LineReader, CutsLinesHoweverTheBytesArrive) {
  for (const std::size_t chunk : {1u, 2u, 3u, 1000u}) {
    LineReader reader(100, 64);
    EXPECT_EQ(lines_of(reader, "a\nbc\r\n\nd\n", chunk),
              (std::vector<std::string>{"a", "bc", "", "d"}));
  }
}

TEST(LineReader, SaysOnceThatALineIsTooLongAndSkipsItsRest) {
  for (const std::size_t chunk : {7u, 1u << 20}) {
    LineReader reader(100, 64);
    EXPECT_EQ(
        lines_of(reader, std::string(100, 'x') + "\n" + std::string(101, 'y') + "\nz\n", chunk),
        (std::vector<std::string>{std::string(100, 'x'), "<too long>", "z"}));
  }
  LineReader reader(1 << 20, 64);
  EXPECT_EQ(lines_of(reader, std::string(100 << 20, 'x') + "\nz\n", 1 << 16),
            (std::vector<std::string>{"<too long>", "z"}));
}

TEST(LineReader, TakesALineAsLongAsTheLimit) {
  LineReader reader(10 << 20, 64);
  const std::string longest(10 << 20, 'x');
  EXPECT_EQ(lines_of(reader, longest + "\nz\n", 1 << 16), (std::vector<std::string>{longest, "z"}));
}

}  // namespace
}  // namespace npuprof::transport
