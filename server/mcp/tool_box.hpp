#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "core/schema.hpp"
#include "mcp/offer.hpp"
#include "mcp/request.hpp"

namespace npuprof::mcp {

// A tool that is on offer: its handler, and its schemas ready for use.
struct OfferedTool {
  std::shared_ptr<ToolHandler> handler;
  std::optional<Schema> input;
  std::optional<Schema> output;
};

// The tools on offer. For any thread.
class ToolBox {
 public:
  // Throws std::logic_error for a schema that can't be checked or a name that is taken: both are
  // bugs of the program that offers the tool.
  void add(std::shared_ptr<ToolHandler> handler);
  bool remove(const std::string& name);

  bool empty() const;
  bool any_task() const;  // whether a tool supports tasks
  std::shared_ptr<const OfferedTool> find(std::string_view name) const;

  // The definitions as a client of this revision may see them, in the order of their names.
  Json list(Revision revision) const;

  // Checks the arguments, calls, and checks the outcome. Never throws.
  static ToolOutcome run(const OfferedTool& tool, const Json& arguments, Request& request);

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const OfferedTool>, std::less<>> tools_;
};

// The result of tools/call, as JSON text.
void append_tool_result(std::string& out, const ToolOutput& output, const Request& request);

// The same as a document.
Json tool_result(const ToolOutput& output, Revision revision);

}  // namespace npuprof::mcp
