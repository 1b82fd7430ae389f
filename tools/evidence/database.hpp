#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace npuprof::evidence {

// What a database export (ascend_pytorch_profiler[_rank].db, msprof_*.db) holds.
struct DatabaseFacts {
  bool readable = false;
  std::string problem;                          // why not
  std::map<std::string, std::uint64_t> tables;  // rows of each, at most 500 tables
  std::optional<std::int64_t> first_ns;         // of its tasks
  std::optional<std::int64_t> last_ns;
  std::map<std::int64_t, double> step_us;  // length of each step, at most 20,000

  std::uint64_t rows(const std::string& table) const;
};

// Opens it read-only and never waits for a lock. SQLite reads what it needs, not the whole file.
DatabaseFacts read_database(const std::filesystem::path& path);

}  // namespace npuprof::evidence
