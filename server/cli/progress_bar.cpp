#include "cli/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace npuprof::cli {
namespace {

std::size_t terminal_width() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::string progress_line(const Progress& progress, std::size_t width) {
  constexpr std::size_t bar_width = 24;
  std::string line;
  if (progress.total && *progress.total > 0) {
    const double share = std::clamp(progress.done / *progress.total, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(std::lround(share * bar_width));
    const std::string percent = std::to_string(std::lround(share * 100));
    line = "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] " +
           std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + "%  ";
  }
  const std::string_view message = progress.message;
  std::size_t columns = line.size();
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (starts_character(message[i])) {
      // Characters beyond ASCII are taken to be two columns wide, as Chinese is.
      columns += static_cast<unsigned char>(message[i]) < 0x80 ? 1 : 2;
      if (columns >= width) break;
    }
    line += message[i] == '\n' || message[i] == '\t' ? ' ' : message[i];
  }
  return line;
}

ProgressBar::ProgressBar(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::show(const Progress& progress) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  out_ << "\r\x1b[K" << progress_line(progress, terminal_width()) << std::flush;
  drawn_ = true;
}

void ProgressBar::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace npuprof::cli
