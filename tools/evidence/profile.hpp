#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evidence/assessment.hpp"
#include "evidence/communication.hpp"
#include "evidence/content.hpp"
#include "evidence/csv_reader.hpp"
#include "evidence/database.hpp"
#include "evidence/kernel_table.hpp"
#include "evidence/layout.hpp"
#include "evidence/log_reader.hpp"
#include "evidence/profiler_info.hpp"
#include "evidence/statistic_tables.hpp"
#include "evidence/step_table.hpp"
#include "evidence/trace_facts.hpp"
#include "evidence/trace_reader.hpp"

namespace npuprof::evidence {

// A file of a profile, and how reading it went.
struct SourceFile {
  FileEntry entry;
  Place place;
  Content content = Content::unknown;
  GitLfsPointer pointer;  // where it is one
  bool read = false;      // from its first byte to its last
  std::string problem;    // why it was not, or what is wrong with its text
  std::optional<std::int64_t> modified_ns;
  std::optional<CsvReader::Facts> table;
  std::optional<TraceReader::Facts> trace;
};

// Everything known of one rank's profile (or of one folder of loose files): what its readers
// gathered, before anything is judged.
struct Profile {
  std::string path;  // relative to the assessed directory; "" is the directory itself
  Layout layout = Layout::loose;
  std::vector<SourceFile> files;
  bool has_output_folder = false;
  bool has_raw_data = false;
  bool has_device_data = false;  // raw data of a device among it

  std::optional<ProfilerInfo> info;
  std::optional<int> world_size;
  bool simulated = false;              // its own metadata says so
  std::optional<KernelFacts> kernels;  // of the newest export where there are several
  std::optional<StepFacts> steps;
  std::optional<TraceFacts> trace;
  std::optional<ApiFacts> api;
  std::optional<OpFacts> ops;
  std::optional<CommunicationFacts> communication;
  std::optional<CommunicationFacts> communication_matrix;
  std::optional<DatabaseFacts> database;
  LogFacts logs;

  // The first file of a kind that is to be judged, or null.
  const SourceFile* file(FileKind kind) const;
  bool has(FileKind kind) const { return file(kind) != nullptr; }
  bool has_data() const;  // anything that a profiler measured
  std::string label() const { return path.empty() ? "." : path; }
};

}  // namespace npuprof::evidence
