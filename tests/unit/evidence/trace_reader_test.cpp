#include "evidence/trace_reader.hpp"

#include <gtest/gtest.h>

namespace npuprof::evidence {
namespace {

struct Keep : TraceSink {
  std::vector<std::string> names;
  std::vector<std::optional<std::int64_t>> starts;
  void events(std::span<const TraceEvent> batch) override {
    for (const auto& event : batch) {
      names.emplace_back(event.name);
      starts.push_back(event.start_ns);
    }
  }
};

struct Read {
  Keep kept;
  TraceReader::Facts facts;
};

Read read(std::string_view text, std::size_t piece = 1 << 20, std::size_t batch = 64) {
  Read result;
  TraceReader reader(result.kept, batch);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.finish();
  result.facts = reader.facts();
  return result;
}

// Whatever the pieces and batches, the same events come out.
void expect_names(std::string_view text, const std::vector<std::string>& names) {
  for (const std::size_t piece : {1UL, 2UL, 7UL, 64UL, 100'000UL}) {
    for (const std::size_t batch : {1UL, 20UL, 100UL, 100'000UL}) {
      const Read result = read(text, piece, batch);
      EXPECT_TRUE(result.facts.whole)
          << result.facts.problem << " with pieces of " << piece << ", batches of " << batch;
      EXPECT_EQ(result.kept.names, names) << "pieces of " << piece << ", batches of " << batch;
      EXPECT_EQ(result.facts.bytes, text.size());
    }
  }
}

TEST(TraceReader, ReadsABareArrayAndAnObject) {
  expect_names(R"([{"name": "a", "ph": "X"}, {"name": "b", "ph": "X", "args": {"n": [1, 2]}}])",
               {"a", "b"});
  expect_names(
      R"({"schemaVersion": 1, "x": {"traceEvents": [1]}, "traceEvents": [{"name": "a"}, {"name": "b"}], "displayTimeUnit": "ms"})",
      {"a", "b"});
  expect_names("\xEF\xBB\xBF [ ] \n", {});
}

TEST(TraceReader, TellsBordersOfEventsFromWhatOnlyLooksLikeThem) {
  expect_names(
      R"([{"name": "a", "args": {"list": [{"k": 1}, {"k": 2}, {"k": 3}]}}, {"name": "b", "v": "}, {"}, {"name": "c}, {\"x\": "}])",
      {"a", "b", "c}, {\\\"x\\\": "});
}

TEST(TraceReader, ReadsTimesAsTextOrNumberExactly) {
  const Read result = read(
      R"([{"ts": "1736405443863674.401", "ph": "X"}, {"ts": 1736405443863674.401, "ph": "X"}, {"ts": 12, "ph": "X"}, {"ph": "M"}])");
  ASSERT_EQ(result.kept.starts.size(), 4U);
  EXPECT_EQ(result.kept.starts[0], 1736405443863674401);
  EXPECT_EQ(result.kept.starts[1], 1736405443863674401);
  EXPECT_EQ(result.kept.starts[2], 12000);
  EXPECT_FALSE(result.kept.starts[3]);
}

TEST(TraceReader, TakesIntegersOfAnySize) {
  expect_names(R"([{"name": "f", "ph": "s", "id": 123456789012345678901234567890}])", {"f"});
}

TEST(TraceReader, FindsEveryCut) {
  const std::string text =
      R"([{"name": "a", "ts": "1.5", "args": {"x": "\"]"}}, {"name": "b", "list": [1, [2]]}, {"name": "c"}])";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Read result = read(std::string_view(text).substr(0, size), 5);
    EXPECT_FALSE(result.facts.whole) << size;
    EXPECT_TRUE(result.facts.truncated) << size << ": " << result.facts.problem;
  }
}

TEST(TraceReader, CountsTheWholeEventsBeforeACut) {
  const Read result = read(R"([{"name": "a"}, {"name": "b"}, {"name": "c)");
  EXPECT_EQ(result.facts.events, 2U);
  EXPECT_EQ(result.facts.problem_at, std::string_view(R"([{"name": "a"}, {"name": "b"},)").size());
}

TEST(TraceReader, RefusesWhatIsNotJson) {
  for (const char* text :
       {"hello", "[1, 2]", R"([{"a": 1},])", R"([{"a": 1}] x)", R"([{"a": 1}][])",
        R"([{"a": tru}])", R"([{"a": 01}])", R"([{"a" 1}])", R"([{"a": 1}})", R"([,{"a": 1}])",
        R"({"a": [1]})", R"([{"a": 1} {"b": 2}])", "[{\"a\": \"\n\"}]", R"({"traceEvents": {}})"}) {
    for (const std::size_t piece : {1UL, 1000UL}) {
      const Read result = read(text, piece);
      EXPECT_FALSE(result.facts.whole) << text;
      EXPECT_FALSE(result.facts.problem.empty()) << text;
    }
  }
}

TEST(TraceReader, SurvivesDeepNesting) {
  const std::string deep(100'000, '[');
  EXPECT_FALSE(read(deep).facts.whole);
  EXPECT_FALSE(read("[{\"a\": " + deep).facts.whole);
  EXPECT_FALSE(read("[{\"a\": " + deep + std::string(100'000, ']') + "}]").facts.whole);
}

TEST(TraceReader, SkipsAnEventTooLargeToHold) {
  Keep kept;
  TraceReader reader(kept);
  reader.feed(R"([{"name": "a"}, {"name": "big", "args": {"x": ")");
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) reader.feed(piece);
  reader.feed(R"("}}, {"name": "b"}])");
  reader.finish();
  EXPECT_TRUE(reader.facts().whole) << reader.facts().problem;
  EXPECT_EQ(reader.facts().oversized_events, 1U);
  EXPECT_EQ(reader.facts().events, 3U);
  EXPECT_EQ(kept.names, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace npuprof::evidence
