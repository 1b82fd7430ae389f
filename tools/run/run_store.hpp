#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "run/journal.hpp"
#include "run/record.hpp"
#include "run/run_lock.hpp"

namespace npuprof::run {

// The runs of a data directory: <data_dir>/runs/<run_id>/{run.json, journal.jsonl, lock, ...}, and
// the callers' keys in <data_dir>/keys. Thread-safe, and safe beside other processes: who changes a
// run holds its lock.
class RunStore {
 public:
  // Makes the directories, readable by this user alone.
  static Result<RunStore> open(const std::filesystem::path& data_dir, Clock& clock);

  std::filesystem::path directory(const std::string& run_id) const;
  Journal journal(const std::string& run_id) const;

  // Makes the run's directory and writes its record, with the evidence `accepted` in the journal.
  Result<void> create(Record& record) const;

  Result<void> save(Record& record) const;

  // RUN_UNKNOWN where there is no such run, or the text can't be an id.
  Result<Record> load(const std::string& run_id) const;

  // Every run that can be read, latest first.
  std::vector<Record> list() const;

  // Nothing where another worker, here or in another process, carries the run.
  Result<std::optional<RunLock>> try_lock(const std::string& run_id) const;

  // Leaves word for whoever carries the run that it is to end.
  Result<void> ask_cancel(const std::string& run_id) const;
  bool cancel_asked(const std::string& run_id) const;

  // Removes everything that is kept of a run. Its lock must be held.
  Result<void> remove(const std::string& run_id) const;

  // Held while a key is looked up and bound, so that two calls with one key make one run.
  Result<RunLock> lock_key(const std::string& target, const std::string& run_key) const;
  std::optional<std::string> run_of_key(const std::string& target,
                                        const std::string& run_key) const;
  Result<void> bind_key(const std::string& target, const std::string& run_key,
                        const std::string& run_id) const;

 private:
  RunStore(std::filesystem::path data_dir, Clock& clock)
      : data_dir_(std::move(data_dir)), clock_(&clock) {}
  std::filesystem::path key_file(const std::string& target, const std::string& run_key) const;

  std::filesystem::path data_dir_;
  Clock* clock_;
};

}  // namespace npuprof::run
