#include <algorithm>

#include "ascend/npu_smi.hpp"
#include "ascend/table_text.hpp"
#include "core/host_text.hpp"

namespace npuprof::ascend {
namespace {

// "   Label        : value"
struct Entry {
  std::string label, value;
  bool terminated = false;
};

std::optional<Entry> entry_of(const Line& line) {
  const auto colon = line.text.find(" : ");
  if (!line.clean || colon == std::string::npos) {
    // A last blank may be trimmed: "Label  :"
    if (line.clean && trimmed(line.text).ends_with(" :")) {
      auto text = trimmed(line.text);
      text.remove_suffix(1);
      return Entry{std::string(trimmed(text)), "", line.terminated};
    }
    return std::nullopt;
  }
  return Entry{std::string(trimmed(std::string_view(line.text).substr(0, colon))),
               clean_host_text(trimmed(std::string_view(line.text).substr(colon + 3)), 400),
               line.terminated};
}

// Columns are set apart by two blanks or a tab at least.
std::vector<std::string_view> columns_of(std::string_view text) {
  std::vector<std::string_view> columns;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const auto end = std::min({text.find("  "), text.find('\t'), text.size()});
    columns.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return columns;
}

bool is_mcu(std::string_view name) {
  return lower(name) == "mcu";
}

std::optional<std::string_view> between(std::string_view text, std::string_view from,
                                        std::string_view to) {
  const auto begin = text.find(from);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + from.size());
  if (to.empty()) return trimmed(text);
  const auto end = text.find(to);
  if (end == std::string_view::npos) return std::nullopt;
  return trimmed(text.substr(0, end));
}

// "Process id:1 Process name:python  Process memory(MB):177"
std::optional<DeviceProcess> process_of(const Line& line) {
  if (!line.clean || !line.terminated) return std::nullopt;
  const auto pid = between(line.text, "Process id:", "Process name:");
  const auto name = between(line.text, "Process name:", "Process memory(MB):");
  const auto memory = between(line.text, "Process memory(MB):", "");
  const auto number = pid ? whole_number(*pid) : std::nullopt;
  if (!number || !name || !memory) return std::nullopt;
  DeviceProcess process;
  process.pid = *number;
  process.name = clean_host_text(*name, 80);
  process.memory_mb = whole_number(*memory);
  return process;
}

// Tells the two styles of `-t` apart: "Chip ID" closes a block in most, opens it in -t common.
class BlockReader {
 public:
  std::vector<Block> read(std::string_view text) {
    for (const auto& line : lines_of(text)) take(line);
    close();
    return std::move(blocks_);
  }

 private:
  void take(const Line& line) {
    if (!line.clean) return;
    if (trimmed(line.text).empty()) {
      // In the opening style a blank line ends a block; in the other none is open with its id.
      if (block_.chip_id) close();
      in_mcu_ = false;
      return;
    }
    if (auto process = process_of(line)) {
      block_.processes.push_back(*std::move(process));
      return;
    }
    const auto entry = entry_of(line);
    if (!entry) {
      wrapped(line);
      return;
    }
    if (!entry->terminated && !is_closing_id(*entry)) return;
    take(*entry);
  }

  // A last line without its newline may have lost digits, but a chip id below the count has not.
  bool is_closing_id(const Entry& entry) const {
    const auto id = whole_number(entry.value);
    return entry.label == "Chip ID" && id && entry.value.size() == 1 &&
           (!chip_count_ || *id < *chip_count_);
  }

  void take(const Entry& entry) {
    if (entry.label == "NPU ID") {
      close();
      npu_id_ = whole_number(entry.value);
    } else if (entry.label == "Chip Count") {
      chip_count_ = whole_number(entry.value);
    } else if (entry.label == "Chip ID") {
      if (block_.chip_id) close();
      const bool opens = block_.fields.empty() && block_.processes.empty();
      block_.chip_id = whole_number(entry.value);
      in_mcu_ = false;
      if (!opens) close();
    } else if (entry.label == "Chip Name" && is_mcu(entry.value)) {
      in_mcu_ = !block_.chip_id && block_.fields.empty();
      if (block_.chip_id) close();
      block_ = {};
    } else if (!in_mcu_ && block_.fields.size() < 200) {
      block_.fields.emplace_back(entry.label, entry.value);
    }
  }

  void wrapped(const Line& line) {
    if (in_mcu_ || block_.fields.empty() || !line.terminated) return;
    auto& value = block_.fields.back().second;
    if (value.size() < 400) value += " " + clean_host_text(trimmed(line.text), 400);
  }

  void close() {
    if (!block_.fields.empty() || !block_.processes.empty()) {
      block_.npu_id = npu_id_;
      blocks_.push_back(std::move(block_));
    }
    block_ = {};
  }

  std::vector<Block> blocks_;
  Block block_;
  std::optional<std::int64_t> npu_id_, chip_count_;
  bool in_mcu_ = false;
};

}  // namespace

std::vector<MapRow> parse_map(std::string_view text) {
  std::vector<MapRow> rows;
  std::vector<std::string> header;
  for (const auto& line : lines_of(text)) {
    if (!line.clean) continue;
    const auto columns = columns_of(line.text);
    if (columns.empty()) continue;
    if (lower(columns[0]) == "npu id") {
      header.clear();
      for (const auto column : columns) header.push_back(lower(column));
      continue;
    }
    if (header.empty() || columns.size() != header.size()) continue;
    MapRow row;
    bool ids = true;
    for (std::size_t i = 0; i < header.size(); ++i) {
      const auto number = whole_number(columns[i]);
      if (header[i] == "npu id" || header[i] == "chip id") {
        ids = ids && number;
        (header[i] == "npu id" ? row.npu_id : row.chip_id) = number.value_or(0);
      } else if (header[i] == "chip logic id") {
        row.logic_id = number;
      } else if (header[i] == "chip phy-id" || header[i] == "chip phy id") {
        row.phy_id = number;
      } else if (header[i] == "chip name") {
        row.name = clean_host_text(columns[i], 80);
      }
    }
    if (ids && !row.name.empty() && !is_mcu(row.name)) rows.push_back(std::move(row));
  }
  return rows;
}

CardList parse_list(std::string_view text) {
  CardList list;
  for (const auto& line : lines_of(text)) {
    const auto entry = entry_of(line);
    if (!entry || !entry->terminated) continue;
    const auto number = whole_number(entry->value);
    if (entry->label == "Total Count" || entry->label == "Card Count") {
      list.total = number;
    } else if (entry->label == "NPU ID" && number) {
      list.cards.push_back({*number, std::nullopt});
    } else if (entry->label == "Chip Count" && !list.cards.empty()) {
      list.cards.back().chip_count = number;
    }
  }
  return list;
}

std::vector<Block> parse_blocks(std::string_view text) {
  return BlockReader().read(text);
}

std::optional<std::string> Block::field(std::string_view label) const {
  for (const auto& [name, value] : fields) {
    if (lower(name) == lower(label)) return value;
  }
  return std::nullopt;
}

std::optional<double> Block::number(std::string_view label) const {
  const auto value = field(label);
  return value ? decimal_number(*value) : std::nullopt;
}

}  // namespace npuprof::ascend
