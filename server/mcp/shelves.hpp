#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "mcp/offer.hpp"
#include "mcp/request.hpp"

namespace npuprof::mcp {

// What completion/complete asks for.
struct CompletionQuery {
  std::string reference = {};  // a prompt's name or a template's URI
  std::string argument;
  std::string prefix;
  Json chosen = Json::object();
};

// The resources on offer, of one or several sources. For any thread.
class ResourceShelf {
 public:
  void add(std::shared_ptr<ResourceHandler> handler);
  bool empty() const;
  bool has_completion() const;

  // A page of all sources together; std::nullopt for a cursor that is none of ours.
  std::optional<ResourceList> list(const std::string& cursor) const;
  Json templates() const;
  ResourceHandler::ReadOutcome read(const std::string& uri, Request& request) const;
  std::vector<std::string> complete(const CompletionQuery& query) const;

 private:
  std::vector<std::shared_ptr<ResourceHandler>> handlers() const;

  mutable std::shared_mutex mutex_;
  std::vector<std::shared_ptr<ResourceHandler>> handlers_;
};

// The prompts on offer, by name. For any thread.
class PromptShelf {
 public:
  void add(std::shared_ptr<PromptHandler> handler);  // std::logic_error where the name is taken
  bool remove(const std::string& name);
  bool empty() const;
  bool has_completion() const;
  Json list() const;
  std::shared_ptr<PromptHandler> find(const std::string& name) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<PromptHandler>> prompts_;
};

}  // namespace npuprof::mcp
