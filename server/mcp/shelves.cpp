#include "mcp/shelves.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <stdexcept>

namespace npuprof::mcp {

void ResourceShelf::add(std::shared_ptr<ResourceHandler> handler) {
  const std::unique_lock lock(mutex_);
  handlers_.push_back(std::move(handler));
}

bool ResourceShelf::empty() const {
  const std::shared_lock lock(mutex_);
  return handlers_.empty();
}

bool ResourceShelf::has_completion() const {
  const auto all = handlers();
  return std::any_of(all.begin(), all.end(), [](const auto& h) { return h->has_completion(); });
}

std::vector<std::shared_ptr<ResourceHandler>> ResourceShelf::handlers() const {
  const std::shared_lock lock(mutex_);
  return handlers_;
}

std::optional<ResourceList> ResourceShelf::list(const std::string& cursor) const {
  const auto all = handlers();
  // A cursor is "<source>:<the source's own cursor>".
  std::size_t source = 0;
  std::string inner;
  if (!cursor.empty()) {
    const auto end = cursor.data() + cursor.size();
    const auto [rest, error] = std::from_chars(cursor.data(), end, source);
    if (error != std::errc() || rest == end || *rest != ':' || source >= all.size()) {
      return std::nullopt;
    }
    inner.assign(rest + 1, end);
  }
  ResourceList list;
  for (; source < all.size(); ++source) {
    auto page = all[source]->list(inner);
    if (!page) return std::nullopt;
    for (auto& item : page->items) list.items.push_back(std::move(item));
    if (!page->next_cursor.empty()) {
      list.next_cursor = std::to_string(source) + ":" + page->next_cursor;
      break;
    }
    inner.clear();
  }
  return list;
}

Json ResourceShelf::templates() const {
  Json templates = Json::array();
  for (const auto& handler : handlers()) {
    for (auto& item : handler->templates()) templates.push_back(std::move(item));
  }
  return templates;
}

ResourceHandler::ReadOutcome ResourceShelf::read(const std::string& uri, Request& request) const {
  for (const auto& handler : handlers()) {
    auto outcome = handler->read(uri, request);
    if (!std::holds_alternative<ResourceHandler::NotFound>(outcome)) return outcome;
  }
  return ResourceHandler::NotFound{};
}

std::vector<std::string> ResourceShelf::complete(const CompletionQuery& query) const {
  for (const auto& handler : handlers()) {
    auto values = handler->complete(query.reference, query.argument, query.prefix, query.chosen);
    if (!values.empty()) return values;
  }
  return {};
}

void PromptShelf::add(std::shared_ptr<PromptHandler> handler) {
  auto name = handler->definition().at("name").get<std::string>();
  const std::unique_lock lock(mutex_);
  if (!prompts_.emplace(name, std::move(handler)).second) {
    throw std::logic_error("two prompts are called " + name);
  }
}

bool PromptShelf::remove(const std::string& name) {
  const std::unique_lock lock(mutex_);
  return prompts_.erase(name) > 0;
}

bool PromptShelf::empty() const {
  const std::shared_lock lock(mutex_);
  return prompts_.empty();
}

bool PromptShelf::has_completion() const {
  const std::shared_lock lock(mutex_);
  return std::any_of(prompts_.begin(), prompts_.end(),
                     [](const auto& entry) { return entry.second->has_completion(); });
}

Json PromptShelf::list() const {
  Json prompts = Json::array();
  const std::shared_lock lock(mutex_);
  for (const auto& [name, prompt] : prompts_) prompts.push_back(prompt->definition());
  return prompts;
}

std::shared_ptr<PromptHandler> PromptShelf::find(const std::string& name) const {
  const std::shared_lock lock(mutex_);
  const auto found = prompts_.find(name);
  return found == prompts_.end() ? nullptr : found->second;
}

}  // namespace npuprof::mcp
