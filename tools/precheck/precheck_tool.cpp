#include "core/error_codes.hpp"
#include "precheck/checks.hpp"
#include "precheck/inference.hpp"
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
    context.progress({1.5, 2, "running one step on " + target.name});
    auto inference = inference_(host, target, report, arguments, context);
    if (!inference) {
      refuse(report, inference.error());
    } else {
      judge(report, *inference);
    }
  }

  // The step could not be run.
  static void refuse(PrecheckReport& report, const Error& error) {
    report.inference = {{"ran", false}, {"reason", error.message}};
    report.checks.back() = precheck::failed("inference", error.message, {{"code", error.code}},
                                            error.remedy, error.who);
    report.ok = false;
    report.error = error;
  }

  static void judge(PrecheckReport& report, const Json& inference) {
    auto& check = report.checks.back();
    report.inference = inference;
    const auto said = [&](const char* name) { return inference.value(name, std::string()); };
    if (!inference.value("ran", false)) {
      check = precheck::unknown("inference", "not run: " + said("reason"));
    } else if (!inference.value("ok", false)) {
      const auto remedy = said("remedy");
      const auto who = said("who") == "administrator" ? Who::administrator
                       : said("who") == "user"        ? Who::user
                                                      : Who::agent;
      check = precheck::failed("inference", said("reason"), nullptr,
                               remedy.empty() ? "Repair the workload: see outputs." : remedy, who);
      report.ok = false;
      report.error = Error{.code = codes::precheck_failed,
                           .message = "precheck inference: " + check.message,
                           .remedy = check.remedy,
                           .who = who};
    } else if (inference.value("outputs", Json::array()).empty()) {
      check = precheck::unknown("inference",
                                "one step ran, but it returned nothing that could be looked at",
                                nullptr, "Let the entry's callable return its output.", Who::agent);
    } else if (const auto share = memory_share(report); share > 0.9) {
      check = precheck::warned(
          "inference",
          "one step ran; it took " + std::to_string(static_cast<int>(share * 100)) +
              " % of the device's memory",
          nullptr, "Recording needs memory too: take a smaller batch if the run fails.",
          Who::agent);
    } else {
      check = precheck::passed("inference", "one step ran, and its output is sound");
    }
    // The schema's members only.
    report.inference.erase("remedy");
    report.inference.erase("who");
  }

  // Of the device that the step ran on.
  static double memory_share(const PrecheckReport& report) {
    const auto peak = report.inference.value("peak_memory_mb", Json(nullptr));
    for (const auto& device : report.devices) {
      const auto total = device.chip.memory_total_mb.value_or(0);
      if (peak.is_number() && total > 0) return peak.get<double>() / static_cast<double>(total);
    }
    return 0;
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
  if (!inference) inference = one_step_inference(config, real_clock());
  return std::make_unique<Precheck>(config, std::move(host_of), std::move(inference));
}

}  // namespace npuprof::precheck
