#include "cli/record_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RecordText, shows_what_a_reader_asks_of_a_run) {
  const Json record = {
      {"run_id", "demo-1"},
      {"state", "captured"},
      {"target", "demo"},
      {"devices", {{{"device_id", 0}, {"name", "910B4"}, {"bus_id", "0000:C1:00.0"}}}},
      {"workload", {{"way", "entry"}, {"entry", "model.py:build"}}},
      {"window", {{"warmup_ms", {9.5, 1.25}}, {"step_ms", {1.0, 1.5}}}},
      {"warmup",
       {{"verdict", "stripped"}, {"evidence", {{{"message", "the window begins at step 3"}}}}}},
      {"verdict", {{"trust", "trusted"}, {"reasons", Json::array()}}},
      {"anomalies", Json::array()},
      {"artifact",
       {{"state", "verified"},
        {"archive_path", "/d/profile_l1.tar.gz"},
        {"bytes", 1500},
        {"sha256", "abc"},
        {"files", {{{"path", "k.csv"}, {"rows", 12}, {"bytes", 345}, {"sha256", "def"}}}}}}};
  const std::string text = record_in_short(record);
  for (const char* words :
       {"demo-1", "captured", "device 0, 910B4, 0000:C1:00.0", "model.py:build (entry)",
        "9.50 1.25 ms", "1.00 1.50 ms", "stripped: the window begins at step 3", "trusted",
        "anomalies  none", "/d/profile_l1.tar.gz  1.5 kB", "abc", "k.csv", "12", "345", "def"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST(RecordText, leaves_out_what_is_not_known) {
  EXPECT_EQ(record_in_short({{"target", "a2"}}), "target     a2\n");
  EXPECT_EQ(record_in_short(nullptr), "");
}

TEST(RecordText, says_what_went_wrong_and_what_to_do) {
  const std::string text = record_in_short(
      {{"error", {{"code", "DEVICE_BUSY"}, {"message", "held by x"}, {"remedy", "wait"}}},
       {"anomalies", {{{"code", "EMPTY_TABLE"}, {"severity", "error"}, {"message", "no rows"}}}}});
  EXPECT_THAT(text, HasSubstr("DEVICE_BUSY: held by x"));
  EXPECT_THAT(text, HasSubstr("wait"));
  EXPECT_THAT(text, HasSubstr("EMPTY_TABLE (error): no rows"));
  EXPECT_THAT(text, Not(HasSubstr("anomalies  none")));
}

TEST(RecordText, a_table_without_digests_has_no_such_column) {
  const std::string text = file_table({{{"path", "a.csv"}, {"bytes", 3}, {"rows", nullptr}}});
  EXPECT_THAT(text, Not(HasSubstr("sha256")));
  EXPECT_THAT(text, HasSubstr("-"));
}

TEST(RecordText, bytes_are_readable) {
  EXPECT_EQ(readable_bytes(731), "731 B");
  EXPECT_EQ(readable_bytes(1'234'000), "1.2 MB");
}

}  // namespace
}  // namespace npuprof::cli
