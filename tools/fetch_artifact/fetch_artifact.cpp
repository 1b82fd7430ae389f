#include "fetch_artifact/fetch_artifact.hpp"

#include "core/error_codes.hpp"
#include "fetch_artifact/output_directory.hpp"
#include "run/record_view.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::fetch_artifact {
namespace {

constexpr char description[] =
    "Brings a run's profile home, verified, and judges it; tells where a run stands that goes on "
    "(waiting up to wait_s for it); lists the latest runs when called without arguments. Also "
    "fetches a profile directory that is already on a target (target + remote_dir below its "
    "workspace). Calling it again is harmless: what is whole and verified is not fetched again, "
    "and what broke off is resumed.";

Error refused(const std::string& message, const std::string& remedy) {
  return {.code = codes::invalid_arguments,
          .message = "nothing was fetched: " + message,
          .remedy = remedy,
          .who = Who::agent};
}

class FetchArtifact final : public Tool {
 public:
  explicit FetchArtifact(run::Runs& runs)
      : runs_(runs),
        spec_{
            .name = "fetch_artifact",
            .title = "Fetch a profile, or see where a run stands",
            .description = description,
            .input_schema = schemas::load("fetch_artifact_input"),
            .output_schema = schemas::load("run_record"),
            // remove_remote and overwrite remove what was there.
            .annotations = {
                .read_only = false, .destructive = true, .idempotent = true, .open_world = true}} {}

  const ToolSpec& spec() const override { return spec_; }

  ToolResult call(const Json& arguments, CallContext& context) override {
    if (auto sane = check(arguments); !sane) return failed(sane.error());
    if (!arguments.contains("run_id") && !arguments.contains("remote_dir")) {
      return list(arguments.value("target", ""));
    }
    auto record = fetch(arguments, context);
    if (!record) return failed(record.error());
    return run::result_of(*record);
  }

 private:
  static Result<void> check(const Json& arguments) {
    if (arguments.contains("run_id") && arguments.contains("remote_dir")) {
      return fail(refused("run_id and remote_dir were both given", "Give one of them."));
    }
    if (arguments.contains("remote_dir") && arguments.value("remove_remote", false)) {
      return fail(refused("remove_remote goes with a run's own directory only",
                          "Leave remove_remote out."));
    }
    if (!arguments.value("unpack", true) && !arguments.value("archive", true)) {
      return fail(refused("neither the directory nor the archive is wanted",
                          "Set unpack or archive to true."));
    }
    return {};
  }

  ToolResult list(const std::string& target) {
    auto records = runs_.store().list();
    if (!target.empty()) {
      if (auto known = find_target(runs_.config(), target); !known) return failed(known.error());
      std::erase_if(records, [&](const run::Record& r) { return r.target != target; });
    }
    return run::list_of(records);
  }

  Result<run::Record> fetch(const Json& arguments, CallContext& context) {
    run::BringHome what{.files = arguments.value("files", Json("all")),
                        .archive = arguments.value("archive", true),
                        .unpack = arguments.value("unpack", true),
                        .overwrite = arguments.value("overwrite", false)};
    if (arguments.contains("output_dir")) {
      auto home = output_directory(arguments["output_dir"], runs_.config().output_roots);
      if (!home) return fail(home.error());
      what.home = *home;
    }
    const auto patience = context.wait_to_end && !arguments.contains("wait_s")
                              ? run::Patience()
                              : run::Patience(arguments.value("wait_s", 45));
    const auto name = arguments.value("target", "");
    if (arguments.contains("remote_dir")) {
      auto target = find_target(runs_.config(), name);
      if (!target) return fail(target.error());
      return runs_.fetch_directory(**target, arguments["remote_dir"], what, patience, context);
    }
    const auto run_id = arguments["run_id"].get<std::string>();
    const auto known = runs_.store().load(run_id);
    if (!known && known.error().code == codes::run_unknown && !name.empty()) {
      auto target = find_target(runs_.config(), name);
      if (!target) return fail(target.error());
      if (auto adopted = runs_.adopt(**target, run_id, context); !adopted) return adopted;
    }
    return runs_.fetch(run_id, what, arguments.value("remove_remote", false), patience, context);
  }

  run::Runs& runs_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> make_fetch_artifact(run::Runs& runs) {
  return std::make_unique<FetchArtifact>(runs);
}

}  // namespace npuprof::fetch_artifact
