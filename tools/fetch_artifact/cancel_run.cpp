#include "fetch_artifact/cancel_run.hpp"

#include "core/error_codes.hpp"
#include "run/record_view.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::fetch_artifact {
namespace {

constexpr char description[] =
    "Ends a run: its whole process tree on the target, its lease, its place in the queue. Returns "
    "the run's record once nothing of it is alive. What it captured and its log are kept. Harmless "
    "on a run that has ended.";

class CancelRun final : public Tool {
 public:
  explicit CancelRun(run::Runs& runs)
      : runs_(runs),
        spec_{
            .name = "cancel_run",
            .title = "End a run",
            .description = description,
            .input_schema = schemas::load("cancel_run_input"),
            .output_schema = schemas::load("run_record"),
            .annotations = {
                .read_only = false, .destructive = true, .idempotent = true, .open_world = true}} {}

  const ToolSpec& spec() const override { return spec_; }

  ToolResult call(const Json& arguments, CallContext& context) override {
    auto record = runs_.cancel(arguments["run_id"], context);
    if (!record) return failed(record.error());
    auto result = run::result_of(*record);
    // The call did what it was asked for; how the run ended is in its state and error.
    result.is_error = !is_final(record->state);
    result.structured["ok"] = !result.is_error;
    if (result.is_error && !result.structured.contains("error")) {
      result.structured["error"] =
          Error{.code = codes::timed_out,
                .message = "the run could not be seen to end yet; npuprof goes on trying to end it",
                .remedy = "Call cancel_run again. Its own deadline ends it at the latest.",
                .who = Who::agent,
                .retryable = true};
    }
    return result;
  }

 private:
  run::Runs& runs_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> make_cancel_run(run::Runs& runs) {
  return std::make_unique<CancelRun>(runs);
}

}  // namespace npuprof::fetch_artifact
