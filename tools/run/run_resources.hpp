#pragma once

#include "core/resource.hpp"
#include "run/run_store.hpp"

namespace npuprof::run {

// The files of runs that are at home, as npuprof://runs/<run_id>/<path>: run.json, journal.jsonl,
// manifest.json, and what is below profile_l1/. Text up to 2 MB and other files up to 1 MB are
// given out; larger ones are named with the place where they are. `store` must outlive it.
class RunResources final : public ResourceProvider {
 public:
  explicit RunResources(const RunStore& store) : store_(store) {}

  Result<ResourcePage> list(const std::string& cursor) override;
  std::vector<ResourceTemplateInfo> templates() override;
  Result<std::vector<ResourceContents>> read(const std::string& uri, CallContext& context) override;
  std::vector<std::string> complete(const std::string& uri_template, const std::string& variable,
                                    const std::string& prefix,
                                    const std::map<std::string, std::string>& chosen) override;

 private:
  const RunStore& store_;
};

}  // namespace npuprof::run
