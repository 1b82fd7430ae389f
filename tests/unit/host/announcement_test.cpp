#include "host/announcement.hpp"

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(Announcement, NoiseBeforeItIsDroppedHoweverTheBytesAreCut) {
  const std::string stream = "Welcome\nma marker markerX\nmarker:4711\nown output\nmarker:1\n";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Announcement announcement("marker");
    std::string head = stream.substr(0, cut);
    std::string tail = stream.substr(cut);
    announcement.strip_out(head);
    announcement.strip_out(tail);
    EXPECT_EQ(announcement.process_id(), "4711") << cut;
    EXPECT_EQ(head + tail, "own output\nmarker:1\n") << cut;
  }
}

TEST(Announcement, TheProcessIdIsANumberOrNothing) {
  Announcement bad("m1");
  std::string bytes = "m1:-1; rm\n";
  bad.strip_out(bytes);
  EXPECT_EQ(bad.process_id(), "");
}

TEST(Announcement, WhatIsSaidWithoutItIsKeptForTheError) {
  Announcement announcement("marker");
  std::string bytes = "This account is not available.\n";
  announcement.strip_out(bytes);
  EXPECT_EQ(bytes, "");
  EXPECT_FALSE(announcement.is_made());
  EXPECT_EQ(announcement.noise(), "This account is not available.\n");
}

}  // namespace
}  // namespace npuprof
