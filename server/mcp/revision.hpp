#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace npuprof::mcp {

// The protocol's revisions, oldest first. Those before 2026-07-28 are the legacy era, which has a
// handshake; from then on every request stands alone (the modern era).
enum class Revision { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25, r2026_07_28 };

inline constexpr std::array<std::string_view, 5> revision_names = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};

constexpr std::string_view to_string(Revision revision) {
  return revision_names[static_cast<std::size_t>(revision)];
}

constexpr std::optional<Revision> revision_from(std::string_view name) {
  for (std::size_t i = 0; i < revision_names.size(); ++i) {
    if (revision_names[i] == name) return static_cast<Revision>(i);
  }
  return std::nullopt;
}

constexpr bool is_modern(Revision revision) {
  return revision >= Revision::r2026_07_28;
}

inline constexpr Revision newest_legacy = Revision::r2025_11_25;
inline constexpr Revision newest_modern = Revision::r2026_07_28;

// Error codes of the modern era, beside those of JSON-RPC.
inline constexpr int header_mismatch = -32020;
inline constexpr int missing_client_capability = -32021;
inline constexpr int unsupported_revision = -32022;

// The legacy era's code for a resource that does not exist.
inline constexpr int legacy_resource_not_found = -32002;

namespace meta {
inline constexpr char revision[] = "io.modelcontextprotocol/protocolVersion";
inline constexpr char client_capabilities[] = "io.modelcontextprotocol/clientCapabilities";
inline constexpr char client_info[] = "io.modelcontextprotocol/clientInfo";
inline constexpr char server_info[] = "io.modelcontextprotocol/serverInfo";
inline constexpr char log_level[] = "io.modelcontextprotocol/logLevel";
inline constexpr char subscription_id[] = "io.modelcontextprotocol/subscriptionId";
inline constexpr char related_task[] = "io.modelcontextprotocol/related-task";
inline constexpr char tasks_extension[] = "io.modelcontextprotocol/tasks";
}  // namespace meta

}  // namespace npuprof::mcp
