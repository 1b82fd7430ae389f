#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/call_context.hpp"
#include "core/error.hpp"

namespace npuprof {

// Something that can be read by its URI.
struct ResourceInfo {
  std::string uri;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
  std::optional<std::uint64_t> size = {};  // bytes, where it is known
};

// A family of resources: "npuprof://runs/{run_id}/manifest". Every "{name}" stands for one path
// segment, and "{+name}" for the rest of the path.
struct ResourceTemplateInfo {
  std::string uri_template;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

struct ResourceContents {
  std::string uri;
  std::string mime_type;
  std::string bytes;
  bool is_text = true;  // then bytes are UTF-8; otherwise they go out as base64
};

struct ResourcePage {
  std::vector<ResourceInfo> items;
  std::string next_cursor = {};  // "" where this is the last page
};

// What a source of resources tells whoever watches it. Called from any thread.
struct ResourceWatcher {
  std::function<void(const std::string& uri)> updated;
  std::function<void()> list_changed;
};

// The seam between those that have something to read and those that ask. One object serves many
// calls at once, from any thread.
class ResourceProvider {
 public:
  virtual ~ResourceProvider() = default;

  // `cursor` is "" or the next_cursor of an earlier page; INVALID_ARGUMENTS for any other.
  virtual Result<ResourcePage> list(const std::string& cursor) = 0;
  virtual std::vector<ResourceTemplateInfo> templates() = 0;

  // NOT_FOUND where no such resource exists.
  virtual Result<std::vector<ResourceContents>> read(const std::string& uri,
                                                     CallContext& context) = 0;

  // Values of a template's variable that begin with `prefix`, best first; `chosen` holds the
  // template's variables that have a value already.
  virtual std::vector<std::string> complete(const std::string& /*uri_template*/,
                                            const std::string& /*variable*/,
                                            const std::string& /*prefix*/,
                                            const std::map<std::string, std::string>& /*chosen*/) {
    return {};
  }

  // One watcher at most; an empty one ends the watching, and after it returns none is called.
  virtual void watch(ResourceWatcher /*watcher*/) {}
};

}  // namespace npuprof
