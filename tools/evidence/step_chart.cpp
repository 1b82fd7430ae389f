#include "evidence/step_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "evidence/html_text.hpp"

namespace npuprof::evidence {
namespace {

constexpr double width = 720;
constexpr double height = 240;
constexpr double left = 56;
constexpr double right = 8;
constexpr double top = 26;
constexpr double bottom = 30;
constexpr std::size_t max_steps = 200;

constexpr char standalone_style[] =
    "<style>svg{--ink:#1f2933;--faint:#c5ccd3;--warmup:#d98324;--guard:#9aa5b1;--window:#2563a8;"
    "background:#fff;font:12px system-ui,sans-serif}</style>";

const char* color_of(StepPhase phase) {
  switch (phase) {
    case StepPhase::warmup:
      return "var(--warmup)";
    case StepPhase::guard:
      return "var(--guard)";
    case StepPhase::window:
      return "var(--window)";
  }
  return "var(--window)";
}

const char* name_of(StepPhase phase) {
  switch (phase) {
    case StepPhase::warmup:
      return "warm-up";
    case StepPhase::guard:
      return "guard";
    case StepPhase::window:
      return "window";
  }
  return "window";
}

// The next of 1, 2, 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (value <= factor * power) return factor * power;
  }
  return value;
}

std::string legend() {
  std::string out;
  double x = left;
  for (const StepPhase phase : {StepPhase::warmup, StepPhase::guard, StepPhase::window}) {
    out += format_text(R"~(<rect x="%.1f" y="6" width="11" height="11" rx="2" fill="%s"/>)~", x,
                       color_of(phase));
    out += format_text(R"~(<text x="%.1f" y="16" fill="var(--ink)">%s</text>)~", x + 16,
                       name_of(phase));
    x += 90;
  }
  return out;
}

}  // namespace

std::string step_chart_svg(const std::vector<ChartStep>& steps, bool standalone) {
  const std::size_t count = std::min(steps.size(), max_steps);
  double longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(steps[i].ms)) longest = std::max(longest, steps[i].ms);
  }
  if (count == 0 || longest <= 0) return "";
  const double scale = round_up(longest);
  const double floor = height - bottom;
  std::string out =
      format_text(R"~(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" )~"
                  R"~(aria-label="Time of each step" font-size="12">)~",
                  width, height);
  if (standalone) out += standalone_style;
  out += legend();
  for (int line = 0; line <= 4; ++line) {
    const double y = floor - (floor - top) * line / 4;
    out += format_text(R"~(<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="var(--faint)"/>)~",
                       left, width - right, y, y);
    out +=
        format_text(R"~(<text x="%.1f" y="%.1f" text-anchor="end" fill="var(--ink)">%.3g</text>)~",
                    left - 6, y + 4, scale * line / 4);
  }
  out += format_text(R"~(<text x="6" y="%.1f" fill="var(--ink)">ms</text>)~", top - 8);
  const double room = (width - left - right) / static_cast<double>(count);
  const std::size_t every = std::max<std::size_t>(1, count / 20);
  for (std::size_t i = 0; i < count; ++i) {
    const ChartStep& step = steps[i];
    const double ms = std::isfinite(step.ms) ? std::max(step.ms, 0.0) : 0;
    const double bar = std::max(1.0, (floor - top) * ms / scale);
    const double x = left + room * static_cast<double>(i);
    out += format_text(R"~(<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>)~",
                       x + room * 0.1, floor - bar, room * 0.8, bar, color_of(step.phase));
    out +=
        escaped(step.label) + format_text(" (%s): %.3f ms</title></rect>", name_of(step.phase), ms);
    if (i % every == 0) {
      out += format_text(R"~(<text x="%.1f" y="%.1f" text-anchor="middle" fill="var(--ink)">)~",
                         x + room / 2, floor + 16);
      out += escaped(step.label) + "</text>";
    }
  }
  return out + "</svg>";
}

}  // namespace npuprof::evidence
