#pragma once

#include "ascend/npu_smi.hpp"
#include "ascend/probe.hpp"
#include "ascend/versions.hpp"

namespace npuprof::precheck {

struct FoundCann {
  ascend::CannVersion version;
  std::string path;  // the real path of the installation that counts: the first of the known places
};

FoundCann find_cann(const ascend::HostFacts& facts);

// The versions of a host and where each was read.
ascend::Versions find_versions(const ascend::HostFacts& facts, const ascend::InfoTable& table,
                               const FoundCann& cann);

}  // namespace npuprof::precheck
