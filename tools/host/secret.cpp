#include "host/secret.hpp"

#include <string.h>

#include <cstdlib>

#include "core/error_codes.hpp"
#include "host/local_host.hpp"

namespace npuprof {

Secret::~Secret() {
  wipe();
}

// Moving a short string copies it, so the source is wiped too.
Secret::Secret(Secret&& other) noexcept : text_(other.text_) {
  other.wipe();
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    text_ = other.text_;
    other.wipe();
  }
  return *this;
}

void Secret::wipe() {
  ::explicit_bzero(text_.data(), text_.size());
  text_.clear();
}

Result<Secret> Secret::from_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    return fail({.code = codes::auth_failed,
                 .message = "password_env names " + name +
                            ", which is not set in npuprof's environment; nothing was run.",
                 .remedy = "Set " + name +
                           " where npuprof is started (an MCP client passes on only "
                           "the variables that its configuration lists)."});
  }
  return Secret(value);
}

Result<Secret> Secret::from_command(const std::vector<std::string>& argv,
                                    const std::string& setting, const std::stop_token& stop) {
  LocalHost here;
  auto output =
      here.capture({.argv = argv, .timeout = std::chrono::seconds(60)}, {}, stop, 64 << 10);
  if (!output) {
    if (output.error().code == codes::cancelled) return fail(std::move(output.error()));
    return fail({.code = codes::auth_failed,
                 .message = setting + " gave no answer: " + output.error().message,
                 .remedy = "Try the command in a terminal."});
  }
  Secret all(std::move(output->out));
  const auto line_end = all.text_.find('\n');
  Secret line(all.text_.substr(0, line_end));
  if (!output->exit.ok() || line.text_.empty()) {
    return fail({.code = codes::auth_failed,
                 .message = setting + " (" + argv.front() + ") " +
                            (output->exit.ok() ? "printed nothing"
                                               : "failed with exit status " +
                                                     std::to_string(output->exit.status)) +
                            "; nothing was run on the host.",
                 .remedy = "Try the command in a terminal."});
  }
  return line;
}

}  // namespace npuprof
