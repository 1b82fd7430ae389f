#include "evidence/database.hpp"

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/host_text.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_tables = 500;
constexpr std::size_t max_steps = 20'000;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Database {
 public:
  explicit Database(sqlite3* handle) : handle_(handle) {}

  // False where the query can't be run to its end.
  bool each(const std::string& sql, const std::function<void(sqlite3_stmt*)>& row) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) return false;
    const std::unique_ptr<sqlite3_stmt, CloseStatement> statement(raw);
    int state = SQLITE_ROW;
    while ((state = sqlite3_step(raw)) == SQLITE_ROW) row(raw);
    return state == SQLITE_DONE;
  }

 private:
  sqlite3* handle_;
};

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text.push_back('"');
    text.push_back(c);
  }
  return text + "\"";
}

std::string uri_of(const std::filesystem::path& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '/' || c == '_' || c == '-' || c == '.';
    if (plain) {
      uri.push_back(c);
    } else {
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return uri + "?mode=ro&immutable=1";
}

}  // namespace

std::uint64_t DatabaseFacts::rows(const std::string& table) const {
  const auto found = tables.find(table);
  return found == tables.end() ? 0 : found->second;
}

DatabaseFacts read_database(const std::filesystem::path& path) {
  DatabaseFacts facts;
  sqlite3* raw = nullptr;
  const int opened =
      sqlite3_open_v2(uri_of(path).c_str(), &raw,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, CloseDatabase> handle(raw);
  if (opened != SQLITE_OK) {
    facts.problem = "it can't be opened";
    return facts;
  }
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 16 << 20);
  Database database(raw);
  std::vector<std::string> names;
  const auto note = [&] { facts.problem = clean_host_text(sqlite3_errmsg(raw), 200); };
  if (!database.each("SELECT name FROM sqlite_master WHERE type = 'table'", [&](auto* row) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
        if (text != nullptr && names.size() < max_tables) names.emplace_back(text);
      })) {
    note();
    return facts;
  }
  for (const auto& name : names) {
    if (!database.each("SELECT count(*) FROM " + quoted(name), [&](auto* row) {
          facts.tables[name] = static_cast<std::uint64_t>(sqlite3_column_int64(row, 0));
        })) {
      note();
      return facts;
    }
  }
  facts.readable = true;
  if (facts.rows("TASK") > 0) {
    database.each("SELECT min(startNs), max(endNs) FROM TASK", [&](auto* row) {
      if (sqlite3_column_type(row, 0) != SQLITE_INTEGER) return;
      facts.first_ns = sqlite3_column_int64(row, 0);
      facts.last_ns = sqlite3_column_int64(row, 1);
    });
  }
  if (facts.rows("STEP_TIME") > 0) {
    database.each("SELECT id, startNs, endNs FROM STEP_TIME", [&](auto* row) {
      if (facts.step_us.size() >= max_steps) return;
      facts.step_us[sqlite3_column_int64(row, 0)] =
          static_cast<double>(sqlite3_column_int64(row, 2) - sqlite3_column_int64(row, 1)) / 1000.0;
    });
  }
  return facts;
}

}  // namespace npuprof::evidence
