#include "collect_profile/collect_profile.hpp"

#include "run/record_view.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::collect_profile {
namespace {

constexpr char description[] =
    "Profiles a model on an Ascend NPU target from start to end: precheck, warm-up outside the "
    "profiler, the recorded window, export, transfer, verification, verdict. Name what runs with "
    "`entry` (path.py:function that returns a callable, called once a step), with `script` (a "
    "program that profiles itself when given --profile), with `script` and `hook` (an unchanged "
    "program), or with `service`. The run is detached: it goes on when this call stops waiting "
    "(wait_s, default 45 s) or is cancelled; call fetch_artifact with its run_id to wait on, and "
    "cancel_run to end it. The record says whether the data can be trusted (verdict.trust), "
    "whether warm-up was kept out (warmup.verdict), where the files are (artifact.directory), and "
    "what to do next (next).";

class CollectProfile final : public Tool {
 public:
  explicit CollectProfile(run::Runs& runs)
      : runs_(runs),
        spec_{.name = "collect_profile",
              .title = "Profile a model on an Ascend NPU",
              .description = description,
              .input_schema = schemas::load("collect_profile_input"),
              .output_schema = schemas::load("run_record"),
              // It runs the caller's program, so nothing is promised of it.
              .annotations = {.read_only = false,
                              .destructive = true,
                              .idempotent = false,
                              .open_world = true}} {}

  const ToolSpec& spec() const override { return spec_; }

  ToolResult call(const Json& arguments, CallContext& context) override {
    const auto patience = context.wait_to_end && !arguments.contains("wait_s")
                              ? run::Patience()
                              : run::Patience(arguments.value("wait_s", 45));
    auto record = runs_.collect(arguments, patience, context);
    if (!record) return failed(record.error());
    return run::result_of(*record);
  }

 private:
  run::Runs& runs_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> make_collect_profile(run::Runs& runs) {
  return std::make_unique<CollectProfile>(runs);
}

}  // namespace npuprof::collect_profile
