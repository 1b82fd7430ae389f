#include "core/schema.hpp"

#include <array>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "core/error_codes.hpp"

namespace npuprof {
namespace {

constexpr std::array checked_keywords = {
    "type",      "properties", "required",    "additionalProperties", "items",         "enum",
    "const",     "minimum",    "maximum",     "exclusiveMinimum",     "minItems",      "maxItems",
    "minLength", "maxLength",  "uniqueItems", "minProperties",        "maxProperties", "anyOf",
    "oneOf",     "allOf",      "not",         "exclusiveMaximum"};
constexpr std::array describing_keywords = {"$schema", "$id",      "title",    "description",
                                            "default", "examples", "$comment", "readOnly"};

template <typename List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The first keyword that valijson (or this project's choice) would not check, as "path: keyword",
// or "".
std::string unchecked_keyword(const Json& schema, const std::string& path) {
  if (schema.is_boolean()) return "";
  if (!schema.is_object()) return path + ": not a schema";
  for (const auto& [word, value] : schema.items()) {
    if (holds(describing_keywords, word)) continue;
    if (!holds(checked_keywords, word)) return path + ": " + word;
    if (word == "properties") {
      for (const auto& [name, part] : value.items()) {
        if (auto bad = unchecked_keyword(part, path + "." + name); !bad.empty()) return bad;
      }
    } else if (word == "items" || word == "additionalProperties" || word == "not") {
      if (auto bad = unchecked_keyword(value, path + "." + word); !bad.empty()) return bad;
    } else if (word == "anyOf" || word == "oneOf" || word == "allOf") {
      for (const auto& part : value) {
        if (auto bad = unchecked_keyword(part, path + "." + word); !bad.empty()) return bad;
      }
    }
  }
  return "";
}

// valijson's context ["<root>", "[window]", "[2]"] as "window[2]".
std::string readable_path(const std::vector<std::string>& context) {
  std::string path;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string inner =
        context[i].size() >= 2 ? context[i].substr(1, context[i].size() - 2) : context[i];
    const bool is_index =
        !inner.empty() && inner.find_first_not_of("0123456789") == std::string::npos;
    if (is_index) {
      path += "[" + inner + "]";
    } else {
      path += (path.empty() ? "" : ".") + inner;
    }
  }
  return path;
}

// valijson's words for a field that the schema doesn't have name the field at their end.
std::string readable_message(const std::string& description) {
  if (!description.starts_with("Object contains a property that could not be validated"))
    return description;
  const auto at = description.rfind(": ");
  return at == description.npos ? description : "unknown field " + description.substr(at + 2);
}

}  // namespace

struct Schema::Compiled {
  valijson::Schema schema;
};

Schema::Schema(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

Result<Schema> Schema::compile(const Json& schema) {
  if (auto bad = unchecked_keyword(schema, "$"); !bad.empty()) {
    return fail({.code = codes::internal,
                 .message = "the schema has a keyword that is not checked: " + bad});
  }
  auto compiled = std::make_shared<Compiled>();
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled->schema);
  } catch (const std::exception& e) {
    return fail(
        {.code = codes::internal, .message = std::string("the schema can't be read: ") + e.what()});
  }
  return Schema(std::move(compiled));
}

Schema Schema::of(const Json& schema) {
  auto compiled = compile(schema);
  if (!compiled) throw std::logic_error(compiled.error().message);
  return *std::move(compiled);
}

std::vector<SchemaViolation> Schema::violations(const Json& document) const {
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::vector<SchemaViolation> found;
  if (validator.validate(compiled_->schema, valijson::adapters::NlohmannJsonAdapter(document),
                         &results)) {
    return found;
  }
  // valijson reports the innermost violation first and then what contains it: the containers only
  // repeat it.
  valijson::ValidationResults::Error error;
  while (results.popError(error) && found.size() < 10) {
    auto path = readable_path(error.context);
    const bool repeats = std::any_of(found.begin(), found.end(), [&](const SchemaViolation& v) {
      return v.path.size() > path.size() && v.path.starts_with(path);
    });
    if (!repeats) found.push_back({std::move(path), readable_message(error.description)});
  }
  return found;
}

Result<void> Schema::check(const Json& document) const {
  const auto found = violations(document);
  if (found.empty()) return {};
  std::string message;
  Json details = Json::array();
  for (const auto& violation : found) {
    message += (message.empty() ? "" : "; ") +
               (violation.path.empty() ? "arguments" : violation.path) + ": " + violation.message;
    details.push_back({{"path", violation.path}, {"message", violation.message}});
  }
  return fail({.code = codes::invalid_arguments,
               .message = "nothing was run: " + message,
               .remedy = "Correct the named fields and call again.",
               .who = Who::agent,
               .details = {{"violations", std::move(details)}}});
}

}  // namespace npuprof
