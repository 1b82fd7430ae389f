#include "host/signal_name.hpp"

#include <csignal>
#include <cstring>

namespace npuprof {

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : name;
}

int signal_number(const std::string& name) {
  for (int number = 1; number < NSIG; ++number) {
    if (signal_name(number) == name) return number;
  }
  return 0;
}

}  // namespace npuprof
