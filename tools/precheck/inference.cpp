#include "precheck/inference.hpp"

#include <sstream>

#include "ascend/failure_texts.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "run/job.hpp"
#include "run/launch.hpp"
#include "run/request.hpp"
#include "run/run_id.hpp"
#include "run/workload_facts.hpp"

namespace npuprof::precheck {
namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 300ms;
constexpr std::size_t most_events = 1 << 20;  // bytes
constexpr std::size_t most_outputs = 16;

Json not_run(const std::string& reason) {
  return {{"ran", false}, {"reason", reason}};
}

const Device* device_for(const PrecheckReport& report, const Json& arguments) {
  std::optional<int> id;
  if (arguments.contains("device_ids") && !arguments["device_ids"].empty()) {
    id = arguments["device_ids"][0].get<int>();
  } else if (!report.recommended_device_ids.empty()) {
    id = report.recommended_device_ids[0];
  }
  for (const auto& device : report.devices) {
    if (device.device_id == id) return &device;
  }
  return nullptr;
}

// What collect_profile would be asked for the same workload.
Json collect_arguments(const Target& target, const Device& device, const Json& arguments) {
  Json wanted = {{"target", target.name},
                 {"device_ids", {device.device_id}},
                 {"timeout_s", arguments.value("timeout_s", 300)}};
  for (const char* name : {"entry", "params", "env"}) {
    if (arguments.contains(name)) wanted[name] = arguments[name];
  }
  return wanted;
}

// What the run's events tell, and its status.
struct Told {
  Json status = nullptr;
  std::optional<double> duration_ms;
  Json output = nullptr;
  std::string note;
};

Told read_events(const std::string& lines) {
  Told told;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const auto event = Json::parse(line, nullptr, false);
    if (!event.is_object() || !event.contains("kind") || !event["kind"].is_string()) continue;
    const auto& kind = event["kind"];
    if (kind == "step" && event.contains("ms") && event["ms"].is_number()) {
      told.duration_ms = event["ms"].get<double>();
    } else if (kind == "output") {
      told.output = event;
    } else if (kind == "note" && event.value("code", Json()) == "OUTPUT_UNKNOWN") {
      told.note = clean_host_text(event.value("message", std::string()), 300);
    }
  }
  return told;
}

class OneStep {
 public:
  OneStep(Host& host, const Target& target, Clock& clock, const std::stop_token& stop)
      : host_(host), target_(target), clock_(clock), stop_(stop) {}

  Result<Json> run(const run::Launch& what) {
    directory_ = what.job["run_dir"].get<std::string>();
    const double limit_s = what.job["timeout_s"].get<double>() + 30;
    const auto until =
        clock_.steady() + std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1000));
    if (auto started = run::launch(host_, target_, what, stop_); !started) {
      clean_up();
      return fail(started.error());
    }
    auto ended = wait_for_the_end(until);
    if (!ended) {
      run::cancel_on_host(host_, target_, directory_, {});
      clean_up();
      return fail(ended.error());
    }
    auto told =
        read_events(host_.read_file(directory_ + "/events.jsonl", most_events).value_or(""));
    told.status = *std::move(ended);
    auto answer = answer_of(told);
    clean_up();
    return answer;
  }

 private:
  Result<Json> wait_for_the_end(Clock::Steady::time_point until) {
    while (true) {
      auto text = host_.read_file(directory_ + "/status.json", 1 << 20);
      if (!text && text.error().code != codes::not_found) return fail(text.error());
      if (text) {
        auto status = Json::parse(*text, nullptr, false);
        if (status.is_object() && status.value("state", Json()).is_string()) {
          const auto state = status["state"].get<std::string>();
          if (state != "running" && state != "exporting") return status;
        }
      }
      if (stop_.stop_requested()) {
        return fail({.code = codes::cancelled,
                     .message = "the inference step was cancelled; it has been ended on the host"});
      }
      if (clock_.steady() >= until) {
        return fail(
            {.code = codes::timed_out,
             .message = "the inference step did not end in time; it has been ended on the host",
             .remedy = "Raise timeout_s, or see whether the model loads at all."});
      }
      clock_.wait_until(std::min(until, clock_.steady() + poll_interval), stop_);
    }
  }

  Json answer_of(const Told& told) {
    Json answer = {{"ran", true},
                   {"ok", told.status["state"] == "done"},
                   {"steps", told.duration_ms ? 1 : 0},
                   {"duration_ms", told.duration_ms ? Json(*told.duration_ms) : Json(nullptr)},
                   {"peak_memory_mb", nullptr},
                   {"outputs", Json::array()}};
    if (told.output.is_object()) {
      if (told.output.value("peak_memory_mb", Json()).is_number()) {
        answer["peak_memory_mb"] = told.output["peak_memory_mb"];
      }
      for (const auto& one : told.output.value("outputs", Json::array())) {
        if (one.is_object() && answer["outputs"].size() < most_outputs) {
          answer["outputs"].push_back(one);
        }
      }
    }
    if (!told.note.empty()) answer["reason"] = told.note;
    if (answer["ok"] == true) return answer;
    const auto error = told.status.value("error", Json::object());
    const auto said = [&](const char* name) {
      return error.is_object() && error.value(name, Json()).is_string()
                 ? clean_host_text(error[name].get<std::string>(), 1500)
                 : std::string();
    };
    answer["reason"] = said("message").empty() ? "the run ended as " + told.status["state"].dump()
                                               : said("message");
    answer["remedy"] = said("remedy");
    if (const auto known = ascend::known_failures("workload", said("message")); !known.empty()) {
      answer["reason"] = known[0].message + ": " + answer["reason"].get<std::string>();
      answer["remedy"] = known[0].remedy;
      answer["who"] = to_string(known[0].who);
    }
    return answer;
  }

  // The step leaves nothing on the host.
  void clean_up() { host_.shell("rm -rf -- \"$1\"", {directory_}); }

  Host& host_;
  const Target& target_;
  Clock& clock_;
  std::stop_token stop_;
  std::string directory_;
};

}  // namespace

Inference one_step_inference(const Config& config, Clock& clock) {
  return [&config, &clock](Host& host, const Target& target, const PrecheckReport& report,
                           const Json& arguments, CallContext& context) -> Result<Json> {
    if (!arguments.contains("entry")) {
      return not_run("a script can't be stopped after one step; give `entry` to have one run");
    }
    const auto* device = device_for(report, arguments);
    if (device == nullptr)
      return not_run("no device is known to be free: " + report.recommendation);
    const auto request = run::read_request(collect_arguments(target, *device, arguments), config);
    if (!request) return fail(request.error());
    const auto facts = run::look_at_workload(host, *request, context.stop);
    if (!facts) return fail(facts.error());
    const auto now = clock.system();
    run::Launch what;
    what.job = run::make_job(*request, *facts, {{device->device_id, device->lease_key}},
                             run::make_run_id(target.name, now), run::Purpose::inference, now);
    what.set_env = report.set_env;
    return OneStep(host, target, clock, context.stop).run(what);
  };
}

}  // namespace npuprof::precheck
