#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace npuprof {

struct SchemaViolation {
  std::string path;     // "window.warmup_steps", "files[2]", or "" for the whole document
  std::string message;  // what was expected there
};

// A compiled JSON Schema. Immutable, so one object may serve several threads.
class Schema {
 public:
  // Refuses a schema with a keyword that the check would silently ignore.
  static Result<Schema> compile(const Json& schema);

  // For schemas that are compiled in: a bad one is a bug, so it throws std::logic_error.
  static Schema of(const Json& schema);

  // Every violation found, at most 10; empty where the document conforms.
  std::vector<SchemaViolation> violations(const Json& document) const;

  // INVALID_ARGUMENTS naming the fields, or nothing.
  Result<void> check(const Json& document) const;

 private:
  struct Compiled;
  explicit Schema(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace npuprof
