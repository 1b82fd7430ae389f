#include "core/error_codes.hpp"
#include "precheck/precheck.hpp"
#include "precheck/report_text.hpp"
#include "schemas/schemas.hpp"

namespace npuprof::precheck {
namespace {

constexpr char description[] =
    "Looks at a target (a remote Ascend NPU host or container that the configuration names) and "
    "says whether profiling can run there now: devices and which is free, driver, CANN, torch and "
    "torch_npu with their pairing, workspace, disk, leases, known hazards; for each trouble what "
    "to "
    "do and who can do it. Installs nothing. With a workload it also runs one inference step and "
    "looks at its output. Call it first.";

Json targets_json(const Config& config) {
  Json list = Json::array();
  for (const auto& [name, target] : config.targets) {
    Json one = {{"name", name},
                {"kind", target.kind == TargetKind::local ? "local" : "ssh"},
                {"workspace", target.workspace}};
    if (!target.container.empty()) one["container"] = target.container;
    if (list.size() < 100) list.push_back(std::move(one));
  }
  return list;
}

ToolResult targets_result(const Config& config) {
  std::string text = "Which target? Call precheck again with one of:\n";
  std::size_t lines = 0;
  for (const auto& [name, target] : config.targets) {
    if (++lines > 35) {
      text += "... and more\n";
      break;
    }
    text += "- " + name + "\n";
  }
  return {.structured = {{"ok", true}, {"targets", targets_json(config)}}, .text = std::move(text)};
}

bool names_workload(const Json& arguments) {
  return arguments.contains("script") || arguments.contains("entry");
}

class Precheck final : public Tool {
 public:
  Precheck(const Config& config, HostOf host_of, Inference inference)
      : config_(config), host_of_(std::move(host_of)), inference_(std::move(inference)) {
    spec_.name = "precheck";
    spec_.title = "Check an Ascend NPU host before profiling";
    spec_.description = description;
    spec_.input_schema = schemas::load("precheck_input");
    spec_.output_schema = schemas::load("precheck_output");
    spec_.annotations = {
        .read_only = false, .destructive = false, .idempotent = true, .open_world = true};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult call(const Json& arguments, CallContext& context) override {
    const auto name = arguments.value("target", std::string());
    const auto target = find_target(config_, name);
    if (!target) {
      const bool lists = name.empty() && target.error().code == codes::target_ambiguous;
      return lists ? targets_result(config_) : npuprof::failed(target.error());
    }
    return look_at(**target, arguments, context);
  }

 private:
  ToolResult look_at(const Target& target, const Json& arguments, CallContext& context) {
    context.progress({0, 2, "connecting to " + target.name});
    auto host = host_of_(target);
    if (!host) return result(unreachable(target, host.error()));
    Options options;
    options.device_ids = arguments.value("device_ids", std::vector<int>{});
    options.level = arguments.value("level", "full") == "quick" ? Level::quick : Level::full;
    options.timeout = std::chrono::seconds(arguments.value("timeout_s", 300));
    context.progress({1, 2, "looking at " + target.name});
    auto report = run_precheck(**host, target, options, context.stop);
    if (names_workload(arguments)) infer(**host, target, report, arguments, context);
    context.progress({2, 2, "done"});
    return result(report);
  }

  void infer(Host& host, const Target& target, PrecheckReport& report, const Json& arguments,
             CallContext& context) {
    auto& check = report.checks.back();
    if (!report.ok) {
      report.inference = {{"ran", false}, {"reason", "a check failed before it"}};
      check.message = "not run: a check failed before it";
      return;
    }
    if (!inference_) {
      report.inference = {{"ran", false},
                          {"reason", "this build can't run a workload in precheck"}};
      check.status = CheckStatus::unknown;
      check.message = "not run: this build can't run a workload in precheck";
      return;
    }
    judge_inference(report, inference_(host, target, report, arguments, context));
  }

  static void judge_inference(PrecheckReport& report, const Result<Json>& inference) {
    auto& check = report.checks.back();
    if (!inference) {
      const auto& error = inference.error();
      report.inference = {{"ran", false}, {"reason", error.message}};
      check.status = CheckStatus::fail;
      check.message = error.message;
      check.remedy = error.remedy;
      check.who = error.who;
      report.ok = false;
      report.error = error;
      return;
    }
    report.inference = *inference;
    const bool ok = inference->value("ok", false);
    check.status = ok ? CheckStatus::pass : CheckStatus::fail;
    check.message = ok ? "one step ran, and its output is sound"
                       : inference->value("reason", std::string("the output is not sound"));
    check.evidence = inference->value("outputs", Json(nullptr));
    if (ok) return;
    check.remedy = "Correct the model or its input: see outputs.";
    report.ok = false;
    report.error = Error{.code = codes::precheck_failed,
                         .message = "precheck inference: " + check.message,
                         .remedy = check.remedy};
  }

  static ToolResult result(const PrecheckReport& report) {
    return {.structured = Json(report),
            .text = report_text(report),
            .is_error = !report.facts.has_value()};
  }

  const Config& config_;
  const HostOf host_of_;
  const Inference inference_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> make_precheck(const Config& config, HostOf host_of, Inference inference) {
  return std::make_unique<Precheck>(config, std::move(host_of), std::move(inference));
}

}  // namespace npuprof::precheck
