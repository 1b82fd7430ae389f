#include "toolset/toolset.hpp"

#include "collect_profile/collect_profile.hpp"
#include "collect_profile/precheck_of_run.hpp"
#include "fetch_artifact/cancel_run.hpp"
#include "fetch_artifact/fetch_artifact.hpp"
#include "host/host_pool.hpp"
#include "precheck/precheck.hpp"
#include "run/inference.hpp"
#include "run/run_resources.hpp"
#include "run/runs.hpp"

namespace npuprof {
namespace {

class WiredToolset final : public Toolset {
 public:
  WiredToolset(const Config& config, Clock& clock, run::RunStore store)
      : runs_(config, clock, std::move(store), host_of(), collect_profile::precheck_of_run),
        resources_(runs_.store()),
        precheck_(precheck::make_precheck(runs_.config(), host_of(), inference())),
        collect_profile_(collect_profile::make_collect_profile(runs_)),
        fetch_artifact_(fetch_artifact::make_fetch_artifact(runs_)),
        cancel_run_(fetch_artifact::make_cancel_run(runs_)) {}

  std::vector<Tool*> tools() override {
    return {precheck_.get(), collect_profile_.get(), fetch_artifact_.get(), cancel_run_.get()};
  }
  ResourceProvider& resources() override { return resources_; }
  void resume_runs() override { runs_.resume_all(); }

 private:
  run::HostOf host_of() {
    return [this](const Target& target) { return hosts_.host(target); };
  }

  precheck::Inference inference() {
    return [this](Host&, const Target& target, const precheck::PrecheckReport& report,
                  const Json& arguments, CallContext& context) {
      run::InferenceRequest request{
          .target = &target, .arguments = arguments, .devices = {}, .set_env = report.set_env};
      const auto asked = arguments.value("device_ids", report.recommended_device_ids);
      for (const auto& device : report.devices) {
        if (request.devices.empty() && !asked.empty() && device.device_id == asked.front()) {
          request.devices.push_back({.device_id = device.device_id, .lease_key = device.lease_key});
        }
      }
      return run::run_inference(runs_.parts(), request, context);
    };
  }

  HostPool hosts_;  // first: everything else talks through it
  run::Runs runs_;
  run::RunResources resources_;
  std::unique_ptr<Tool> precheck_;
  std::unique_ptr<Tool> collect_profile_;
  std::unique_ptr<Tool> fetch_artifact_;
  std::unique_ptr<Tool> cancel_run_;
};

}  // namespace

Result<std::unique_ptr<Toolset>> make_toolset(const Config& config, Clock& clock) {
  auto store = run::RunStore::open(config.data_dir, clock);
  if (!store) return fail(store.error());
  return std::make_unique<WiredToolset>(config, clock, *std::move(store));
}

}  // namespace npuprof
