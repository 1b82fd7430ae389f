#include "config/toml_document.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "core/error_codes.hpp"
#include "core/schema.hpp"
#include "schemas/schemas.hpp"

namespace npuprof {
namespace {

constexpr char remedy[] = "Correct the configuration; docs/configuration.md has every key.";

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

Json to_json(const toml::node& node, const std::string& path,
             std::map<std::string, unsigned>& lines) {
  lines[path] = node.source().begin.line;
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      const std::string at = below(path, key.str());
      object[std::string(key.str())] = to_json(value, at, lines);
      if (!value.is_table()) lines[at] = key.source().begin.line;
    }
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (std::size_t i = 0; i < array->size(); ++i) {
      list.push_back(to_json(*array->get(i), path + "[" + std::to_string(i) + "]", lines));
    }
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  std::ostringstream date;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_chronological<decltype(value)>) date << value.get();
  });
  return date.str();
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string about_unknown_key(const std::string& key, const Json& known) {
  if (key.find("password") != key.npos || key.find("passphrase") != key.npos ||
      key.find("secret") != key.npos) {
    return "there is no such key, and a secret never belongs into this file: use password_env, "
           "password_command, passphrase_command or an agent";
  }
  std::string nearest;
  std::size_t distance = 3;
  for (const auto& [name, schema] : known.items()) {
    if (const auto found = edit_distance(key, name); found < distance) {
      distance = found;
      nearest = name;
    }
  }
  return "unknown key" + (nearest.empty() ? "" : "; is " + nearest + " meant?");
}

}  // namespace

Result<TomlDocument> TomlDocument::parse(std::string_view text, std::string name) {
  TomlDocument document;
  document.name_ = std::move(name);
  try {
    document.json_ = to_json(toml::parse(text), "", document.lines_);
  } catch (const toml::parse_error& error) {
    document.errors_.push_back({error.source().begin.line, "", std::string(error.description())});
    return fail(document.error());
  }
  return document;
}

void TomlDocument::drop_unknown_keys(Json& value, const Json& schema, const std::string& path) {
  if (!value.is_object() || !schema.is_object() || schema.value("type", "") != "object") return;
  const Json known = schema.value("properties", Json::object());
  const Json& others =
      schema.contains("additionalProperties") ? schema.at("additionalProperties") : Json(true);
  for (auto entry = value.begin(); entry != value.end();) {
    const std::string at = below(path, entry.key());
    if (known.contains(entry.key())) {
      drop_unknown_keys(entry.value(), known.at(entry.key()), at);
    } else if (others == false) {
      report(at, about_unknown_key(entry.key(), known));
      entry = value.erase(entry);
      continue;
    } else {
      drop_unknown_keys(entry.value(), others, at);
    }
    ++entry;
  }
}

void TomlDocument::check_against(std::string_view schema) {
  const Json document = schemas::load(schema);
  drop_unknown_keys(json_, document, "");
  for (const auto& violation : Schema::of(document).violations(json_)) {
    report(violation.path, violation.message);
  }
}

unsigned TomlDocument::line_of(std::string path) const {
  while (true) {
    if (const auto found = lines_.find(path); found != lines_.end()) return found->second;
    const auto cut = path.find_last_of(".[");
    if (cut == path.npos) return 1;
    path.erase(cut);
  }
}

void TomlDocument::report(const std::string& path, const std::string& message) {
  errors_.push_back({line_of(path), path, message});
}

Error TomlDocument::error() const {
  auto findings = errors_;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  std::string message;
  Json details = Json::array();
  for (const auto& [line, path, words] : findings) {
    message += (message.empty() ? "" : "\n") + name_ + ":" + std::to_string(line) + ": " +
               (path.empty() ? "" : path + ": ") + words;
    details.push_back({{"line", line}, {"path", path}, {"message", words}});
  }
  return {.code = codes::config_invalid,
          .message = std::move(message),
          .remedy = remedy,
          .who = Who::user,
          .details = {{"findings", std::move(details)}}};
}

}  // namespace npuprof
