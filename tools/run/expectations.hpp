#pragma once

#include "evidence/assessment.hpp"
#include "run/record.hpp"

namespace npuprof::run {

// What a run's profile should hold, for the assessment. Of a fetched directory that is no run's
// own: nothing.
evidence::Expectations expectations_of(const Record& record);

// The anomalies that the host reported, not the files.
Json anomalies_of_run(const Record& record);

// What did not end as `captured` is not trusted, whatever its files look like.
void limit_trust(Record& record);

}  // namespace npuprof::run
