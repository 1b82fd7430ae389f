#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace npuprof {

// A TOML text as JSON that knows the line of each of its values. Collects what is wrong with it.
class TomlDocument {
 public:
  // CONFIG_INVALID with the line for text that is no TOML. `name` stands before every line.
  static Result<TomlDocument> parse(std::string_view text, std::string name);

  const Json& json() const { return json_; }

  // Reports every key that schemas/<schema>.schema.json doesn't know, and every value it forbids.
  void check_against(std::string_view schema);

  // Notes that the value at `path` ("targets.a2.set_env[1]") is wrong.
  void report(const std::string& path, const std::string& message);

  bool has_errors() const { return !errors_.empty(); }
  Error error() const;  // CONFIG_INVALID with all that was reported, in the order of the lines

 private:
  struct Finding {
    unsigned line;
    std::string path;
    std::string message;
  };

  void drop_unknown_keys(Json& value, const Json& schema, const std::string& path);
  unsigned line_of(std::string path) const;

  std::string name_;
  Json json_;
  std::map<std::string, unsigned> lines_;  // by path
  std::vector<Finding> errors_;
};

}  // namespace npuprof
