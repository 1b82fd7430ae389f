#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace npuprof {

struct PromptArgument {
  std::string name;
  std::string description = {};
  bool required = false;
};

struct PromptSpec {
  std::string name;
  std::string title = {};
  std::string description = {};
  std::vector<PromptArgument> arguments = {};
};

struct PromptMessage {
  enum class Role { user, assistant };
  Role role = Role::user;
  std::string text;
};

using PromptArguments = std::map<std::string, std::string>;

// A text that a user may choose to begin a conversation with. One object serves many calls at once,
// from any thread.
class Prompt {
 public:
  virtual ~Prompt() = default;
  virtual const PromptSpec& spec() const = 0;

  // Every required argument is there.
  virtual Result<std::vector<PromptMessage>> messages(const PromptArguments& arguments) = 0;

  // Values of an argument that begin with `prefix`, best first.
  virtual std::vector<std::string> complete(const std::string& /*argument*/,
                                            const std::string& /*prefix*/,
                                            const PromptArguments& /*chosen*/) {
    return {};
  }
};

}  // namespace npuprof
