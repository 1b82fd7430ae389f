#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

#include "core/error_codes.hpp"

namespace npuprof::cli {
namespace {

TEST(ExitCode, only_ok_is_success) {
  EXPECT_EQ(exit_code_of(Json{{"ok", true}}), success);
  EXPECT_EQ(exit_code_of(Json{{"ok", false}}), failure);
  EXPECT_EQ(exit_code_of(Json::object()), failure);
  EXPECT_EQ(exit_code_of(Json("ok")), failure);
}

TEST(ExitCode, a_run_must_also_be_fit_for_use) {
  for (const char* trust : {"trusted", "usable_with_care"}) {
    EXPECT_EQ(exit_code_of(Json{{"ok", true}, {"verdict", {{"trust", trust}}}}), success) << trust;
  }
  for (const char* trust : {"unusable", "unknown"}) {
    EXPECT_EQ(exit_code_of(Json{{"ok", true}, {"verdict", {{"trust", trust}}}}), failure) << trust;
  }
  EXPECT_EQ(exit_code_of(Json{{"ok", true}, {"verdict", Json::object()}}), failure);
}

TEST(ExitCode, nothing_tried_is_usage) {
  for (const char* code :
       {codes::invalid_arguments, codes::config_invalid, codes::target_unknown}) {
    EXPECT_EQ(exit_code_of(Error{.code = code, .message = ""}), usage) << code;
    EXPECT_EQ(exit_code_of(Json{{"ok", false}, {"error", Error{.code = code, .message = ""}}}),
              usage);
  }
  EXPECT_EQ(exit_code_of(Error{.code = codes::host_unreachable, .message = ""}), failure);
}

}  // namespace
}  // namespace npuprof::cli
