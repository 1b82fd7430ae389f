#include "ascend/failure_texts.hpp"

#include <algorithm>
#include <stdexcept>

#include "ascend/table_text.hpp"
#include "core/host_text.hpp"

namespace npuprof::ascend {

std::string_view embedded(std::string_view name);

namespace {

constexpr std::size_t most_text = 1 << 20;

struct Entry {
  std::string place;
  std::vector<std::string> all;
  KnownFailure failure;
};

CheckStatus status_named(const std::string& name) {
  if (name == "fail") return CheckStatus::fail;
  if (name == "warn") return CheckStatus::warn;
  throw std::logic_error("failure_texts.json: status " + name);
}

Who who_named(const std::string& name) {
  if (name == "agent") return Who::agent;
  if (name == "user") return Who::user;
  if (name == "administrator") return Who::administrator;
  throw std::logic_error("failure_texts.json: who " + name);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = [] {
    std::vector<Entry> read;
    const auto json = Json::parse(embedded("failure_texts.json"));
    for (const auto& row : json.at("texts")) {
      Entry entry;
      entry.place = row.at("place").get<std::string>();
      entry.all = row.at("all").get<std::vector<std::string>>();
      entry.failure = {row.at("id"),      row.at("check"),  status_named(row.at("status")),
                       row.at("message"), row.at("remedy"), who_named(row.at("who"))};
      read.push_back(std::move(entry));
    }
    return read;
  }();
  return list;
}

bool holds_all(const std::string& text, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

// The end of a long text counts: that is where programs say why they gave up.
std::string searched(std::string_view text) {
  if (text.size() > most_text) text.remove_prefix(text.size() - most_text);
  return lower(text);
}

}  // namespace

std::vector<KnownFailure> known_failures(std::string_view place, std::string_view text) {
  const auto words = searched(text);
  std::vector<KnownFailure> found;
  for (const auto& entry : entries()) {
    if (entry.place == place && holds_all(words, entry.all)) found.push_back(entry.failure);
  }
  return found;
}

std::string telling_line(std::string_view place, std::string_view text) {
  const auto words = searched(text);
  for (const auto& entry : entries()) {
    if (entry.place != place || !holds_all(words, entry.all)) continue;
    for (const auto& line : lines_of(text)) {
      if (lower(line.text).find(entry.all[0]) != std::string::npos) {
        return clean_host_text(trimmed(line.text), 300);
      }
    }
  }
  return {};
}

}  // namespace npuprof::ascend
