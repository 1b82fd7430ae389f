#include "evidence/decimal.hpp"

#include <gtest/gtest.h>

namespace npuprof::evidence {
namespace {

TEST(Nanoseconds, KeepsSixteenPlusThreeDigitsExact) {
  EXPECT_EQ(nanoseconds("1736405443881410.320"), 1736405443881410320);
  EXPECT_EQ(nanoseconds("1736408883704643.212\t"), 1736408883704643212);
  EXPECT_EQ(nanoseconds("\"1736408883704643.212\t\""), 1736408883704643212);
}

TEST(Nanoseconds, TakesIntegersAndFewerDecimals) {
  EXPECT_EQ(nanoseconds("1695115378713661"), 1695115378713661000);
  EXPECT_EQ(nanoseconds("1695115378715400.2"), 1695115378715400200);
  EXPECT_EQ(nanoseconds("0"), 0);
  EXPECT_EQ(nanoseconds("-1.5"), -1500);
}

TEST(Nanoseconds, RoundsFurtherDecimals) {
  EXPECT_EQ(nanoseconds("1.0004"), 1000);
  EXPECT_EQ(nanoseconds("1.0005"), 1001);
}

TEST(Nanoseconds, RefusesWhatIsNoTime) {
  for (const char* text : {"", "N/A", "abc", "12:30", "1.2.3", "99999999999999999999", "\t"}) {
    EXPECT_FALSE(nanoseconds(text)) << text;
  }
}

TEST(Number, RefusesWhatIsNone) {
  for (const char* text : {"", "N/A", "nan", "inf", "1,5", "1e999"})
    EXPECT_FALSE(number(text)) << text;
  EXPECT_EQ(number(" 12.5\t"), 12.5);
}

TEST(Integer, TakesWholeNumbersOnly) {
  EXPECT_EQ(integer("50"), 50);
  EXPECT_EQ(integer("50.0"), 50);
  EXPECT_FALSE(integer(""));
  EXPECT_FALSE(integer("50.5"));
}

}  // namespace
}  // namespace npuprof::evidence
