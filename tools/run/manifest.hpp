#pragma once

#include "core/clock.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// manifest.json of an artifact, as schemas/manifest.schema.json has it. `files` lists every file:
// {"path", "bytes", "sha256"} and "rows" where they were counted; `host` names the host.
// Values of environment variables are left out: they may be secret.
Json make_manifest(const Record& record, const std::string& host, const Json& files, Clock& clock);

}  // namespace npuprof::run
