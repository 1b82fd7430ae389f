#include "jsonrpc/write.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace npuprof::jsonrpc {
namespace {

// What each byte asks of the writer: 0 copy, 1 escape, 2 begins or continues a multi-byte sequence.
constexpr std::array<std::uint8_t, 256> byte_class = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < 256; ++i) {
    table[i] = i < 0x20 || i == '"' || i == '\\' || i == 0x7f ? 1 : i >= 0x80 ? 2 : 0;
  }
  return table;
}();

// The length of the valid UTF-8 sequence that begins at `at`, or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return at + i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = first == 0xE0   ? follows(1, 0xA0)
                        : first == 0xED ? follows(1, 0x80, 0x9F)
                                        : follows(1);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = first == 0xF0   ? follows(1, 0x90)
                        : first == 0xF4 ? follows(1, 0x80, 0x8F)
                                        : follows(1);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_escape(std::string& out, unsigned char byte) {
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      constexpr char digits[] = "0123456789abcdef";
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
  }
}

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto kind = byte_class[byte];
    if (kind == 0) {
      ++at;
      continue;
    }
    if (kind == 2) {
      if (const auto length = sequence_length(text, at); length > 0) {
        at += length;
        continue;
      }
    }
    out.append(text, copied, at - copied);
    if (kind == 1) {
      append_escape(out, byte);
    } else {
      out += "\xEF\xBF\xBD";
    }
    copied = ++at;
  }
  out.append(text, copied, at - copied);
  out += '"';
}

void append(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      out += '{';
      bool first = true;
      for (const auto& [name, part] : value.get_ref<const Json::object_t&>()) {
        if (!first) out += ',';
        first = false;
        append_string(out, name);
        out += ':';
        append(out, part);
      }
      out += '}';
      return;
    }
    case Json::value_t::array: {
      out += '[';
      bool first = true;
      for (const auto& part : value.get_ref<const Json::array_t&>()) {
        if (!first) out += ',';
        first = false;
        append(out, part);
      }
      out += ']';
      return;
    }
    case Json::value_t::string:
      append_string(out, value.get_ref<const std::string&>());
      return;
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      append_number(out, value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      append_number(out, value.get<std::uint64_t>());
      return;
    case Json::value_t::number_float: {
      const double number = value.get<double>();
      if (std::isfinite(number)) {
        append_number(out, number);
      } else {
        out += "null";
      }
      return;
    }
    default:
      out += "null";
  }
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out += '"';
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4 + 1);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  out += '"';
}

}  // namespace npuprof::jsonrpc
