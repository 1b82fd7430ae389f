#pragma once

#include <string>

#include "core/tool.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// The record as a caller gets it (schemas/run_record.schema.json): long lists are cut, with the
// count left out, so that the whole stays below about 8,000 tokens whatever the run's size.
Json view_of(const Record& record);

// The same facts for a reader, at most 40 lines.
std::string text_of(const Json& view);

// The result of a call that speaks of a run; an error where the run, or bringing it home, failed.
ToolResult result_of(const Record& record);

// The list of the latest runs.
ToolResult list_of(const std::vector<Record>& records);

// "npuprof://runs/<run_id>/<file>"
std::string resource_uri(const std::string& run_id, const std::string& file);

}  // namespace npuprof::run
