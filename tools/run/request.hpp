#pragma once

#include <string>

#include "config/config.hpp"
#include "core/error.hpp"

namespace npuprof::run {

// What a call of collect_profile asks for, settled as far as that goes without a host.
struct Request {
  const Target* target = nullptr;  // of the configuration
  std::string way;                 // "script", "entry", "hook", "service"
  Json arguments;                  // every default filled in; without wait_s

  // The file of the workload as the caller named it; empty where it is a module or a service.
  std::string script() const;

  // The same for what runs the same, whatever the order of its fields.
  std::string digest() const;
};

// `arguments` has passed collect_profile_input.schema.json. Fails with TARGET_UNKNOWN,
// TARGET_AMBIGUOUS or INVALID_ARGUMENTS, saying that nothing was run.
Result<Request> read_request(const Json& arguments, const Config& config);

}  // namespace npuprof::run
