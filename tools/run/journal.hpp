#pragma once

#include <filesystem>
#include <mutex>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace npuprof::run {

// journal.jsonl of one run: what was done for it, each stage before it starts and after it ended,
// so that any later process can carry on. Lines have the shape of schemas/journal.schema.json.
// Thread-safe.
class Journal {
 public:
  Journal(std::filesystem::path file, Clock& clock) : file_(std::move(file)), clock_(clock) {}

  // Adds a line and waits until it is on the disk. `format` and `t` are filled in.
  Result<void> append(Json entry);

  Result<void> begin(const std::string& stage);
  Result<void> end(const std::string& stage, bool ok, Json proof = nullptr);
  Result<void> evidence(const std::string& state, Json proof);

  // Every whole line; a last line that a crash cut off is left out. FORMAT_UNKNOWN where a newer
  // npuprof wrote one.
  Result<std::vector<Json>> read() const;

 private:
  std::filesystem::path file_;
  Clock& clock_;
  mutable std::mutex mutex_;
};

// True where `stage` began, or ended well, in these lines.
bool has_begun(const std::vector<Json>& lines, const std::string& stage);
bool has_ended_well(const std::vector<Json>& lines, const std::string& stage);

}  // namespace npuprof::run
