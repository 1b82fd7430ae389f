#include "jsonrpc/read.hpp"

#include <simdjson.h>

#include <algorithm>

namespace npuprof::jsonrpc {
namespace {

constexpr std::size_t kept_capacity = 1 << 20;  // what a long message needed is given back

void convert(const simdjson::dom::element& from, Json& to) {
  using Type = simdjson::dom::element_type;
  switch (from.type()) {
    case Type::OBJECT: {
      to = Json::object();
      auto& object = to.get_ref<Json::object_t&>();
      for (const auto [name, value] : simdjson::dom::object(from)) {
        convert(value, object[std::string(name)]);  // of two members of one name the last counts
      }
      return;
    }
    case Type::ARRAY: {
      to = Json::array();
      auto& array = to.get_ref<Json::array_t&>();
      const simdjson::dom::array parts(from);
      array.reserve(parts.size());
      for (const auto value : parts) convert(value, array.emplace_back());
      return;
    }
    case Type::STRING: {
      const std::string_view text(from);
      to = Json(std::string(text));
      return;
    }
    case Type::INT64: {
      const auto number = std::int64_t(from);
      if (number >= 0) {
        to = static_cast<std::uint64_t>(number);
      } else {
        to = number;
      }
      return;
    }
    case Type::UINT64:
      to = std::uint64_t(from);
      return;
    case Type::DOUBLE:
      to = double(from);
      return;
    case Type::BOOL:
      to = bool(from);
      return;
    case Type::NULL_VALUE:
      to = nullptr;
      return;
  }
}

bool within_depth(std::string_view text, std::size_t max_depth) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) return false;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return true;
}

}  // namespace

struct Reader::Buffers {
  simdjson::dom::parser parser;
};

const std::size_t Reader::padding = simdjson::SIMDJSON_PADDING;

Reader::Reader(std::size_t max_depth)
    : buffers_(std::make_unique<Buffers>()), max_depth_(max_depth) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

tl::expected<Json, std::string> Reader::read(std::string_view text, std::size_t readable) {
  const auto no = [](std::string why) { return tl::unexpected<std::string>(std::move(why)); };
  if (text.empty()) return no("the text is empty");
  auto& parser = buffers_->parser;
  auto error = simdjson::SUCCESS;
  if (parser.capacity() < text.size()) {
    error = parser.allocate(std::max<std::size_t>(text.size(), 4096), max_depth_);
  }
  simdjson::dom::element document;
  if (!error) {
    error = parser.parse(text.data(), text.size(), readable < padding).get(document);
  }
  if (error == simdjson::DEPTH_ERROR) {
    return no("nested deeper than " + std::to_string(max_depth_) + " levels");
  }
  if (error == simdjson::NUMBER_ERROR) {
    // An integer beyond 64 bits is legal JSON: nlohmann_json reads it as the nearest double.
    if (!within_depth(text, max_depth_)) {
      return no("nested deeper than " + std::to_string(max_depth_) + " levels");
    }
    Json slow = Json::parse(text.begin(), text.end(), nullptr, false);
    if (slow.is_discarded()) return no("a number can't be read");
    return slow;
  }
  if (error) return no(simdjson::error_message(error));
  tl::expected<Json, std::string> result{tl::in_place};
  convert(document, *result);
  if (parser.capacity() > kept_capacity) parser = simdjson::dom::parser();
  return result;
}

}  // namespace npuprof::jsonrpc
