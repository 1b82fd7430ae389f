#include "config/target.hpp"

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(Target, ACallMaySetOnlyTheVariablesThatAreAllowed) {
  Target target;
  target.allow_env = {"HCCL_*", "TOKENIZERS_PARALLELISM"};
  EXPECT_TRUE(allows_env(target, "HCCL_BUFFSIZE"));
  EXPECT_TRUE(allows_env(target, "TOKENIZERS_PARALLELISM"));
  EXPECT_FALSE(allows_env(target, "TOKENIZERS_PARALLELISM_2"));
  EXPECT_FALSE(allows_env(target, "MY_HCCL_X"));
  EXPECT_FALSE(allows_env(target, ""));
  EXPECT_FALSE(allows_env(Target{}, "ANY"));
}

TEST(Target, VariablesThatDecideWhatCodeRunsNeverPass) {
  Target target;
  target.allow_env = {"*", "LD_PRELOAD", "PATH"};
  for (const char* const name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSTARTUP",
                                 "PATH", "HOME", "IFS", "ENV", "BASH_ENV", "NPUPROF_RUN_ID"}) {
    EXPECT_FALSE(allows_env(target, name)) << name;
  }
  EXPECT_TRUE(allows_env(target, "ANYTHING_ELSE"));
}

TEST(Target, ANameThatNoShellCanSetNeverPasses) {
  Target target;
  target.allow_env = {"*"};
  for (const char* const name : {"A B", "1A", "A=B", "A-B", "A;id", "A\nB", "\xC3\x84"}) {
    EXPECT_FALSE(allows_env(target, name)) << name;
  }
}

}  // namespace
}  // namespace npuprof
