#include "ascend/probe_document.hpp"

#include <openssl/evp.h>

#include "ascend/table_text.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::ascend {
namespace {

constexpr std::string_view opening = "{\"npuprof_probe\":1";

std::string from_base64(std::string text) {
  // A stream that broke off: what is whole of it.
  text.resize(text.size() / 4 * 4);
  if (text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") !=
          std::string::npos ||
      text.empty()) {
    return {};
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return {};
  bytes.resize(static_cast<std::size_t>(length));
  if (text.ends_with("==")) {
    bytes.resize(bytes.size() - 2);
  } else if (text.ends_with("=")) {
    bytes.resize(bytes.size() - 1);
  }
  return bytes;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) break;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string decoded(const std::string& text) {
  return text.starts_with("hex:") ? from_hex(std::string_view(text).substr(4)) : from_base64(text);
}

// The first word of a field is its mark: it comes from the script, before anything of the host's.
std::vector<Section> sections_of(const std::string& text) {
  std::vector<Section> sections;
  const auto begin = text.find_first_not_of('\n');
  if (begin == std::string::npos) return sections;
  const auto mark_end = text.find(' ', begin);
  if (mark_end == std::string::npos) return sections;
  const std::string mark = text.substr(begin, mark_end - begin + 1);
  std::size_t at = 0;
  while (at < text.size()) {
    const auto line_end = std::min(text.find('\n', at), text.size());
    const auto line = std::string_view(text).substr(at, line_end - at);
    if (line.starts_with(mark)) {
      const auto rest = line.substr(mark.size());
      if (rest.starts_with("= ")) {
        const auto status = whole_number(trimmed(rest.substr(2)));
        if (!sections.empty() && status && *status < 1000) {
          sections.back().status = static_cast<int>(*status);
          // The script put a newline before the status.
          auto& last = sections.back().text;
          if (!last.empty() && last.back() == '\n') last.pop_back();
        }
      } else {
        sections.push_back({std::string(trimmed(rest)), "", std::nullopt});
      }
    } else if (!sections.empty()) {
      sections.back().text.append(line);
      if (line_end < text.size()) sections.back().text += '\n';
    }
    at = line_end + 1;
  }
  return sections;
}

// A document that breaks off, made one again: what follows its last whole string is dropped.
Json read_document(std::string_view text) {
  const auto end = text.find("\"end\":1}");
  if (end != std::string_view::npos) {
    return Json::parse(text.substr(0, end + 8), nullptr, false);
  }
  std::string head(text);
  const auto last_open = head.rfind("\":\"");
  if (last_open != std::string::npos && head.find('"', last_open + 3) == std::string::npos) {
    head += '"';
  }
  const auto last = head.rfind('"');
  if (last == std::string::npos) return Json(Json::value_t::discarded);
  head.resize(last + 1);
  head += '}';
  auto document = Json::parse(head, nullptr, false);
  if (!document.is_discarded()) return document;
  const auto comma = head.rfind(",\n\"");
  if (comma == std::string::npos) return document;
  head.resize(comma);
  return Json::parse(head + "}", nullptr, false);
}

}  // namespace

const Section* ProbeDocument::find(const std::string& field, std::string_view name) const {
  const auto found = fields.find(field);
  if (found == fields.end()) return nullptr;
  for (const auto& section : found->second) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::string ProbeDocument::text(const std::string& field, std::string_view name) const {
  const auto* section = find(field, name);
  if (section == nullptr) return {};
  const auto begin = section->text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  const auto end = section->text.find_last_not_of(" \t\r\n");
  return section->text.substr(begin, end - begin + 1);
}

Result<ProbeDocument> parse_probe_document(std::string_view printed) {
  const auto begin = printed.find(opening);
  const auto json = begin == std::string_view::npos ? Json(Json::value_t::discarded)
                                                    : read_document(printed.substr(begin));
  if (json.is_discarded() || !json.is_object()) {
    return fail({.code = codes::command_failed,
                 .message = "the host did not answer the probe as expected; nothing was run there "
                            "but the probe. It printed: " +
                            clean_host_text(printed.substr(0, 2000), 400),
                 .remedy = "Check that /bin/sh works for this user on the host.",
                 .who = Who::user});
  }
  ProbeDocument document;
  document.complete = json.contains("end");
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) document.fields[name] = sections_of(decoded(value.get<std::string>()));
  }
  return document;
}

}  // namespace npuprof::ascend
