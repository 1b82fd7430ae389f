#include "core/tool.hpp"

namespace npuprof {

ToolResult failed(const Error& error) {
  std::string text = error.code + ": " + error.message;
  if (!error.remedy.empty()) {
    text += "\nWhat to do (" + std::string(to_string(error.who)) + "): " + error.remedy;
  }
  return {
      .structured = {{"ok", false}, {"error", error}}, .text = std::move(text), .is_error = true};
}

}  // namespace npuprof
