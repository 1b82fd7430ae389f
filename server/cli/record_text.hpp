#pragma once

#include <string>

#include "core/json.hpp"

namespace npuprof::cli {

// A run's record in short, for a person: devices, step times, warm-up verdict, anomalies, and the
// artifact with its files. Says so where the device is simulated. Fields that the record lacks are
// left out.
std::string record_in_short(const Json& record);

// A table of files: name, rows, bytes and, where known, SHA-256. `files` is an array of {path or
// name, rows, bytes, sha256}; empty text for an empty one.
std::string file_table(const Json& files);

// "1.2 MB", "731 B"
std::string readable_bytes(std::uint64_t bytes);

}  // namespace npuprof::cli
