#pragma once

#include <filesystem>

// The published CANN output that tests read where it is; a test that needs it skips, visibly,
// where it is missing.
inline std::filesystem::path real_samples() {
  return std::filesystem::path(NPUPROF_SHARED_DATA) / "cann";
}

#define NEEDS_REAL_SAMPLES()                                           \
  if (!std::filesystem::is_directory(real_samples())) {                \
    GTEST_SKIP() << "real CANN output is missing: " << real_samples(); \
  }
