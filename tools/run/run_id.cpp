#include "run/run_id.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>

namespace npuprof::run {
namespace {

std::string random_base32(std::size_t digits) {
  constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), digits, 0) != static_cast<ssize_t>(digits)) {
    throw std::runtime_error("no random numbers");
  }
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) text += alphabet[bytes[i] % 32];
  return text;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

std::string make_run_id(const std::string& target, Clock::System::time_point now) {
  const std::time_t seconds = Clock::System::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y%m%d-%H%M%S", &parts);
  std::string name;
  for (const char c : target.substr(0, 100)) name += is_name_character(c) ? c : '_';
  if (name.empty() || name.front() == '-') name.insert(0, "t");
  return name + "-" + time.data() + "-" + random_base32(8);
}

bool is_run_id(const std::string& text) {
  return text.size() >= 10 && text.size() <= 200 && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_name_character);
}

}  // namespace npuprof::run
