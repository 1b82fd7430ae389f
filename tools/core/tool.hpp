#pragma once

#include <string>
#include <vector>

#include "core/call_context.hpp"
#include "core/error.hpp"

namespace npuprof {

// Hints to the caller, never enforcement; set in full for every tool.
struct ToolAnnotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
};

struct ToolSpec {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema;
  Json output_schema;  // null: the tool promises no structure
  ToolAnnotations annotations = {};
  bool quick = false;  // never waits: may run on the thread that read the call
};

// A file of the result that the caller may read as a resource.
struct ResourceLink {
  std::string uri;
  std::string name;
  std::string mime_type;
  std::string description = {};
};

struct Image {
  std::string mime_type;
  std::string data;  // raw bytes
};

struct ToolResult {
  Json structured;   // conforms to ToolSpec::output_schema
  std::string text;  // the same facts for a reader, at most 40 lines
  bool is_error = false;
  std::vector<ResourceLink> links = {};
  std::vector<Image> images = {};
};

// The result of a call that failed: {"ok": false, "error": {...}} and the error in words.
ToolResult failed(const Error& error);

// The seam between what the server offers and who asks for it. One object serves many calls at
// once, from any thread.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolSpec& spec() const = 0;

  // `arguments` has passed spec().input_schema. Never throws for what can happen in normal use.
  virtual ToolResult call(const Json& arguments, CallContext& context) = 0;
};

}  // namespace npuprof
