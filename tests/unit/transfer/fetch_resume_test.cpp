#include <cstdlib>
#include <random>

#include "core/error_codes.hpp"
#include "unit/transfer/fetch_fixture.hpp"

namespace npuprof::transfer {
namespace {

class FetchResume : public FetchFixture {
 protected:
  FetchRequest broken_request() {
    auto asked = request();
    asked.tuning.reconnects = 0;
    asked.tuning.resume_from = 1 << 20;
    asked.archive = false;
    asked.settings.codec = "none";
    return asked;
  }

  // The stream breaks after `bytes`, in the way a lost connection does.
  void break_after(std::uint64_t bytes) {
    host.streamed = [&, left = bytes](std::string& piece) mutable -> std::optional<Error> {
      if (left < piece.size()) return MeddlingHost::connection_lost();
      left -= piece.size();
      return std::nullopt;
    };
  }
};

// The slow target breaks it at 200 points.
int points() {
  const char* wanted = std::getenv("NPUPROF_RESUME_POINTS");
  return wanted != nullptr ? std::atoi(wanted) : 12;
}

TEST_F(FetchResume, broken_anywhere_the_next_call_takes_only_what_is_missing) {
  put_profile(20'000'000);
  std::uint64_t whole = 0;
  for (const auto& [name, content] : files) whole += content.size();
  std::mt19937 random(20261201);
  std::uniform_int_distribution<std::uint64_t> anywhere(0, whole);
  const auto asked = broken_request();
  for (int point = 0; point < points(); ++point) {
    const auto at = anywhere(random);
    SCOPED_TRACE("broken after " + std::to_string(at) + " bytes");
    host.streamed_bytes = 0;
    break_after(at);
    const auto broken = fetch(asked);
    if (!broken) {
      EXPECT_EQ(broken.error().code, codes::connection_lost) << broken.error().message;
      for (const auto& name : scratch.names("home")) {
        EXPECT_TRUE(name == "profile_l1" || name == "profile_l1.partial" ||
                    name == "transfer.jsonl")
            << name;
      }
    }
    host.streamed = [](auto&) { return std::nullopt; };
    expect_whole(fetch(asked));
    EXPECT_LE(host.streamed_bytes, whole + whole / 20 + 300'000);
    std::filesystem::remove_all(scratch / "home");
    std::filesystem::create_directories(scratch / "home");
  }
}

TEST_F(FetchResume, a_break_is_mended_by_itself_where_there_was_progress) {
  put_profile(6'000'000);
  auto asked = broken_request();
  asked.tuning.reconnects = 2;
  host.streamed = [&, breaks = 0,
                   left = 2'500'000](std::string& piece) mutable -> std::optional<Error> {
    left -= static_cast<int>(piece.size());
    if (left > 0 || breaks >= 2) return std::nullopt;
    ++breaks;
    left = 2'500'000;
    return MeddlingHost::connection_lost();
  };
  expect_whole(fetch(asked));
}

TEST_F(FetchResume, a_beginning_that_is_not_the_hosts_any_more_is_thrown_away) {
  put("big", noise(6'000'000));
  const auto asked = broken_request();
  break_after(4'000'000);
  ASSERT_FALSE(fetch(asked));
  const auto partial = scratch / "home/profile_l1.partial";
  ASSERT_TRUE(std::filesystem::exists(partial));
  const auto kept = std::filesystem::directory_iterator(partial)->path();
  std::filesystem::permissions(kept, std::filesystem::perms(0600));
  scratch.write(kept.lexically_relative(scratch.path()).string(), noise(4'000'000, 9));
  host.streamed = [](auto&) { return std::nullopt; };
  expect_whole(fetch(asked));
}

TEST_F(FetchResume, a_file_that_changed_since_the_break_is_fetched_anew) {
  put("big", noise(6'000'000));
  const auto asked = broken_request();
  break_after(4'000'000);
  ASSERT_FALSE(fetch(asked));
  put("big", noise(6'000'000, 4));
  host.streamed = [](auto&) { return std::nullopt; };
  expect_whole(fetch(asked));
}

TEST_F(FetchResume, a_torn_journal_costs_no_more_than_the_torn_line) {
  put_profile();
  const auto asked = broken_request();
  expect_whole(fetch(asked));
  const auto journal = scratch.read("home/transfer.jsonl");
  scratch.write("home/transfer.jsonl", journal.substr(0, journal.size() - 30));
  const auto again = fetch(asked);
  expect_whole(again);
  EXPECT_LT(again->fetched_bytes, 3'000'001U);
  EXPECT_GT(again->reused_bytes, 0U);
}

}  // namespace
}  // namespace npuprof::transfer
