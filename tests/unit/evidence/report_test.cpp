#include "evidence/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_profile.hpp"

namespace npuprof::evidence {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string report_of(const Assessment& assessment, Json document = Json::object()) {
  document.update(Json(assessment));
  return render_report(document, assessment.details);
}

TEST(Report, SaysTheVerdictFirstAndHoldsEveryPart) {
  const Assessment assessment =
      assess_files(make_run({.steps = 8, .leak_factor = 3, .leaking_steps = 1}));
  const std::string html = report_of(assessment);
  const auto verdict = html.find("usable with care");
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_LT(verdict, html.find("<h2>Anomalies"));
  for (const char* part :
       {"WARMUP_NOT_STRIPPED", "Step times", "Device busy and free", "Operators by time",
        "Operators by wait", "AI CPU operators", "MatMulV2", "kernel_details.csv", "<svg"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

TEST(Report, NeedsNothingFromElsewhere) {
  std::string html = report_of(assess_files(make_run({})));
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  for (auto at = html.find(name_space); at != std::string::npos; at = html.find(name_space)) {
    html.erase(at, name_space.size());
  }
  for (const char* part :
       {"http:", "https:", "src=", "href=", "@import", "url(", "<script", "<link"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

TEST(Report, TakesTextFromAHostForText) {
  const Json document = {
      {"run_id", "<script>alert(1)</script>"},
      {"verdict", {{"trust", "\"><b>"}, {"reasons", {"<img src=x>", "\xff\x1b[31m"}}}},
      {"anomalies", {{{"code", "<i>"}, {"severity", "<b>"}, {"message", "&<"}}}},
      {"files", {{{"path", "'\"<"}, {"bytes", 1}}}}};
  const std::string html = render_report(document, nullptr);
  for (const char* part : {"<script>", "<img", "\"><b>", "<i>", "\x1b"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

TEST(Report, LeavesOutWhatIsNotThere) {
  EXPECT_THAT(render_report(Json::object(), nullptr), HasSubstr("unknown"));
  EXPECT_THAT(render_report({{"summary", nullptr}, {"checks", 3}, {"window", "x"}}, Json::array()),
              Not(HasSubstr("<svg")));
}

TEST(StepChart, TellsPhasesApartAndIsEmptyWithoutSteps) {
  const Json document = {
      {"window", {{"warmup_ms", {30.0, 11.0}}, {"guard_ms", {10.5}}, {"step_ms", {10.0, 10.1}}}}};
  const auto steps = chart_steps(document, nullptr);
  ASSERT_EQ(steps.size(), 5U);
  const std::string svg = step_chart_svg(steps, true);
  for (const char* part :
       {"w1 (warm-up): 30.000 ms", "g1 (guard): 10.500 ms", "2 (window): 10.100 ms"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  EXPECT_EQ(step_chart_svg({}, true), "");
}

// Data of a simulated device says so itself, wherever it is looked at later.
TEST(Report, SimulatedDataIsMarkedWithoutBeingTold) {
  Files files = make_run({.steps = 8});
  EXPECT_FALSE(assess_files(files).simulated);
  const std::string folder = files.begin()->first.substr(0, files.begin()->first.find('/') + 1);
  files[folder + "profiler_metadata.json"] = R"({"simulated_host": "true"})";
  const Assessment assessment = assess_files(files);
  EXPECT_TRUE(assessment.simulated);
  EXPECT_THAT(assessment.verdict.reasons, Contains(HasSubstr("simulated device")));
}

}  // namespace
}  // namespace npuprof::evidence
