#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace npuprof {

// A password or passphrase in memory; overwritten when it goes.
class Secret {
 public:
  // The value of a variable of npuprof's own environment. AUTH_FAILED where it is not set.
  static Result<Secret> from_variable(const std::string& name);

  // The first line that a command of this machine prints (run without a shell). AUTH_FAILED where
  // the command fails; what it printed is never part of the error.
  static Result<Secret> from_command(const std::vector<std::string>& argv,
                                     const std::string& setting, const std::stop_token& stop);

  explicit Secret(std::string text) : text_(std::move(text)) {}
  ~Secret();
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;

  const char* c_str() const { return text_.c_str(); }

 private:
  void wipe();
  std::string text_;
};

}  // namespace npuprof
