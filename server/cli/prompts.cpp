#include "cli/prompts.hpp"

namespace npuprof::cli {
namespace {

// The value of an argument, or "".
std::string value_of(const PromptArguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : found->second;
}

std::string on_target(const PromptArguments& arguments) {
  const auto target = value_of(arguments, "target");
  return target.empty() ? "" : " on the target \"" + target + "\"";
}

class TextPrompt : public Prompt {
 public:
  using Text = std::string (*)(const PromptArguments&);
  TextPrompt(PromptSpec spec, Text text) : spec_(std::move(spec)), text_(text) {}
  const PromptSpec& spec() const override { return spec_; }
  Result<std::vector<PromptMessage>> messages(const PromptArguments& arguments) override {
    return std::vector<PromptMessage>{{PromptMessage::Role::user, text_(arguments)}};
  }

 private:
  PromptSpec spec_;
  Text text_;
};

std::string profile_and_analyse(const PromptArguments& arguments) {
  return "Profile " + value_of(arguments, "workload") + on_target(arguments) +
         " and tell me where its time goes.\n"
         "1. Call precheck with the target and stop at a check that fails: say what it found and "
         "its remedy.\n"
         "2. Call collect_profile with the same target and workload. Where its state is not final "
         "yet, call fetch_artifact with the run_id until it is.\n"
         "3. Read verdict, warmup and anomalies first. Draw no conclusion from data whose trust is "
         "unusable or unknown; say which anomaly stands against it and what to do about it.\n"
         "4. Then report: step time, how much of it the device was busy, the longest operators, "
         "communication and AI CPU share, and the first thing worth changing, each with the file "
         "and the figures that it rests on.";
}

std::string why_is_my_first_step_slow(const PromptArguments& arguments) {
  return "The first steps of " + value_of(arguments, "workload") + on_target(arguments) +
         " are slow. Find out why.\n"
         "Call collect_profile with that workload (warmup_steps 10 if it compiles), and compare "
         "window.warmup_ms with window.step_ms: how many steps are slow, and by how much. Read "
         "warmup.verdict and the anomalies COMPILE_IN_WINDOW and WARMUP_INSUFFICIENT. Tell apart "
         "compilation, memory growth and loading, name the evidence for it, and say how many "
         "warm-up steps the workload needs before it may be measured.";
}

}  // namespace

std::vector<std::unique_ptr<Prompt>> make_prompts() {
  const std::vector<PromptArgument> arguments = {
      {"workload", "What runs: a script, path.py:function or package.module:Class.method", true},
      {"target", "Target of the configuration (default: the only one)", false}};
  std::vector<std::unique_ptr<Prompt>> prompts;
  prompts.push_back(std::make_unique<TextPrompt>(
      PromptSpec{"profile_and_analyse", "Profile and analyse",
                 "Profile a workload and report where its time goes.", arguments},
      profile_and_analyse));
  prompts.push_back(std::make_unique<TextPrompt>(
      PromptSpec{"why_is_my_first_step_slow", "Why is my first step slow?",
                 "Profile the warm-up of a workload and explain it.", arguments},
      why_is_my_first_step_slow));
  return prompts;
}

}  // namespace npuprof::cli
