#include "evidence/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::evidence {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Keep : CsvSink {
  Rows rows;
  void header(const CsvRow& row) override { keep(row); }
  void row(const CsvRow& row) override { keep(row); }
  void keep(const CsvRow& row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < std::min<std::size_t>(row.fields(), 1000); ++i) {
      cells.push_back(row.decoded(i));
    }
    rows.push_back(std::move(cells));
  }
};

struct Read {
  Rows rows;
  CsvReader::Facts facts;
};

Read read(std::string_view text, std::size_t piece) {
  Keep sink;
  CsvReader reader(sink);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.finish();
  return {sink.rows, reader.facts()};
}

// However the text is cut into pieces, it reads the same.
Rows read_in_all_pieces(std::string_view text) {
  const Rows whole = read(text, text.size() + 1).rows;
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_EQ(read(text, piece).rows, whole) << "in pieces of " << piece;
  }
  return whole;
}

TEST(CsvReader, ReadsLineEndingsOfBothKinds) {
  const Rows expected = {{"a", "b"}, {"1", "2"}, {"3", ""}};
  EXPECT_EQ(read_in_all_pieces("a,b\r\n1,2\r\n3,\r\n"), expected);
  EXPECT_EQ(read_in_all_pieces("a,b\n1,2\n3,"), expected);
}

TEST(CsvReader, ReadsQuotesInQuotesAndCellsWithLineBreaks) {
  const Rows expected = {
      {"n", "shape", "stack"}, {"x", "\"32,3;64\"", "a;\r\nb;\nc"}, {"", "\"\"", "tail"}};
  EXPECT_EQ(read_in_all_pieces("n,shape,stack\r\nx,\"\"\"32,3;64\"\"\",\"a;\r\nb;\nc\"\r\n"
                               ",\"\"\"\"\"\",tail\r\n"),
            expected);
}

TEST(CsvReader, TakesAQuoteInsideACellAsItStands) {
  const Rows expected = {{"a", "b"}, {"5\" disk", "x"}};
  EXPECT_EQ(read_in_all_pieces("a,b\n5\" disk,x\n"), expected);
}

TEST(CsvReader, LeavesOutAByteOrderMarkAndBlankLines) {
  const Rows expected = {{"a", "b"}, {"1", "2"}};
  EXPECT_EQ(read_in_all_pieces("\xEF\xBB\xBF"
                               "a,b\r\n\r\n1,2\r\n\n"),
            expected);
}

TEST(CsvReader, TakesAByteOrderMarkBehindTheStartAsText) {
  const Rows expected = {{"\xEF\xBB\xBF"
                          "a"},
                         {"1"}};
  EXPECT_EQ(read_in_all_pieces("\n\xEF\xBB\xBF"
                               "a\n1\n"),
            expected);
}

TEST(CsvReader, CountsRaggedRowsAndSaysWhichIsTheFirst) {
  const auto facts = read("a,b,c\n1,2,3\n1,2\n1,2,3,4\n", 5).facts;
  EXPECT_EQ(facts.rows, 3U);
  EXPECT_EQ(facts.ragged_rows, 2U);
  EXPECT_EQ(facts.first_ragged_row, 2U);
}

TEST(CsvReader, SaysHowTheFileEnds) {
  EXPECT_TRUE(read("a,b\n1,2\n", 3).facts.ends_with_newline);
  const auto cut = read("a,b,c\n1,2,3\n1,2", 3).facts;
  EXPECT_FALSE(cut.ends_with_newline);
  EXPECT_TRUE(cut.last_row_ragged);
  EXPECT_TRUE(read("a,b\n1,\"2", 3).facts.open_quote_at_end);
}

TEST(CsvReader, KeepsMemoryBoundedOnALineWithoutEnd) {
  Keep sink;
  CsvReader reader(sink);
  reader.feed("a,b\n");
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 12; ++i) reader.feed(piece);
  reader.feed("\n1,2\n");
  reader.finish();
  EXPECT_EQ(reader.facts().rows, 2U);
  EXPECT_EQ(reader.facts().oversized_rows, 1U);
  EXPECT_EQ(sink.rows.back(), (std::vector<std::string>{"1", "2"}));
}

TEST(CsvReader, SurvivesAMillionColumns) {
  std::string header;
  for (int i = 0; i < 1'000'000; ++i) header += "c,";
  const auto facts = read(header + "\n1,2\n", 1 << 16).facts;
  EXPECT_EQ(facts.rows, 1U);
  EXPECT_EQ(facts.columns, 1'000'001U);
}

TEST(CsvReader, AnEmptyFileHasNoHeader) {
  EXPECT_FALSE(read("", 1).facts.has_header);
}

}  // namespace
}  // namespace npuprof::evidence
