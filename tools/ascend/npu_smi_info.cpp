#include <algorithm>
#include <map>

#include "ascend/npu_smi.hpp"
#include "ascend/table_text.hpp"
#include "core/host_text.hpp"

namespace npuprof::ascend {
namespace {

constexpr std::size_t most_processes_shown = 8;
constexpr std::size_t most_notes = 20;
constexpr std::size_t most_chips = 1024;

using Cells = std::vector<std::string_view>;

bool is_rule(std::string_view line) {
  line = trimmed(line);
  return line.size() >= 3 && line.front() == '+' && line.back() == '+' &&
         line.find_first_not_of("+-=") == std::string_view::npos;
}

// "Power(W)   Temp(C)   Hugepages-Usage(page)" as its three labels, in lower case.
std::vector<std::string> labels_of(std::string_view cell) {
  std::vector<std::string> labels;
  while (true) {
    cell = trimmed(cell);
    const auto end = cell.find(')');
    if (end == std::string_view::npos) return labels;
    labels.push_back(lower(cell.substr(0, end + 1)));
    cell.remove_prefix(end + 1);
  }
}

// The last cell of a row holds a word, or "used / total", a label. Nothing where they don't match
// one to one.
struct Value {
  std::string_view word;
  std::string_view total;  // of a pair
};

std::optional<std::map<std::string, Value>> values_of(std::string_view cell,
                                                      const std::vector<std::string>& labels) {
  std::string spaced;
  for (const char c : cell) {
    if (c == '/') {
      spaced += " / ";
    } else {
      spaced += c;
    }
  }
  const auto words = words_of(spaced);
  // The words of `spaced` don't outlive it: find each in the cell itself.
  std::map<std::string, Value> values;
  std::size_t at = 0;
  std::size_t from = 0;
  const auto next = [&]() -> std::string_view {
    const auto found = cell.find(words[at], from);
    from = found + words[at].size();
    ++at;
    return cell.substr(found, from - found);
  };
  for (const auto& label : labels) {
    const bool pair = label.find("usage(") != std::string::npos;
    if (at + (pair ? 3 : 1) > words.size()) return std::nullopt;
    Value value;
    value.word = next();
    if (pair) {
      if (next() != "/") return std::nullopt;
      value.total = next();
      if (value.total == "/") return std::nullopt;
    }
    if (value.word == "/") return std::nullopt;
    values[label] = value;
  }
  if (at != words.size()) return std::nullopt;
  return values;
}

// What the two header rows say of the table.
struct DeviceHeader {
  std::size_t cells = 0;
  bool npu_own_cell = false;                           // 950: "NPU ID" | "Name"
  std::vector<std::string> first_words, second_words;  // of the first cell
  std::vector<std::string> first_labels, second_labels;
};

struct ProcessHeader {
  std::size_t cells = 0;
  bool has_chip = false;
  std::size_t pid = 0, name = 0, memory = 0;
  std::optional<std::size_t> container_pid;
};

std::vector<std::string> lower_words(std::string_view text) {
  std::vector<std::string> out;
  for (const auto word : words_of(text)) out.push_back(lower(word));
  return out;
}

bool says(std::string_view cell, std::string_view what) {
  return lower(cell).find(what) != std::string::npos;
}

std::optional<ProcessHeader> process_header(const Cells& cells) {
  ProcessHeader header;
  header.cells = cells.size();
  bool pid = false, name = false, memory = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (says(cells[i], "process id in container")) {
      header.container_pid = i;
    } else if (says(cells[i], "process id")) {
      header.pid = i;
      pid = true;
    } else if (says(cells[i], "process name")) {
      header.name = i;
      name = true;
    } else if (says(cells[i], "process memory")) {
      header.memory = i;
      memory = true;
    }
  }
  if (!pid || !name || !memory) return std::nullopt;
  header.has_chip = says(cells[0], "chip");
  return header;
}

class InfoReader {
 public:
  InfoTable read(std::string_view text) {
    for (const auto& line : lines_of(text)) take(line);
    finish();
    return std::move(table_);
  }

 private:
  enum class Part { before, second_header, devices, second_row, processes, after };

  void note(std::string_view text) {
    if (table_.notes.size() < most_notes) {
      table_.notes.push_back(clean_host_text(text, 300));
    }
  }

  void take(const Line& line) {
    if (!line.clean) {
      spoilt("a line with control characters, or too long to be one of the table's");
      return;
    }
    const auto text = trimmed(line.text);
    if (text.empty()) return;
    if (is_rule(text)) {
      take_rule();
    } else if (const auto cells = cells_of(text)) {
      take_cells(*cells, text);
    } else if (text.front() == '|') {
      spoilt("a row that breaks off: " + std::string(text));
    } else if (says(text, "warning")) {
      note(std::string(text));
    }
  }

  // Something inside a table that can't be read: what it would have told is unknown.
  void spoilt(std::string_view what) {
    if (part_ == Part::before && !table_.recognised) return;
    note(what);
    if (part_ == Part::processes) {
      processes_spoilt_ = true;
      group_spoilt_ = true;
    } else if (part_ != Part::after) {
      devices_spoilt_ = true;
      if (part_ == Part::second_row) part_ = Part::devices;
    }
  }

  void take_rule() {
    if (part_ == Part::second_row) spoilt("a device with only its first row: NPU " + npu_word_);
    if (part_ == Part::devices || part_ == Part::second_header) rule_after_devices_ = true;
    if (part_ == Part::processes) close_group();
  }

  void take_cells(const Cells& cells, std::string_view text) {
    if (says(cells[0], "npu-smi") && says(cells[0], "version:")) {
      take_title(cells[0]);
    } else if (const auto header = process_header(cells)) {
      process_header_ = *header;
      table_.has_process_table = true;
      part_ = Part::processes;
    } else if (is_first_header(cells)) {
      take_first_header(cells);
    } else if (part_ == Part::second_header) {
      take_second_header(cells);
    } else if (part_ == Part::devices) {
      take_first_row(cells, text);
    } else if (part_ == Part::second_row) {
      take_second_row(cells, text);
    } else if (part_ == Part::processes) {
      take_process(cells, text);
    }
  }

  void take_title(std::string_view cell) {
    const auto words = words_of(cell);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (lower(words[i]) == "npu-smi") table_.tool_version = std::string(words[i + 1]);
      if (lower(words[i]) == "version:") table_.driver_version = std::string(words[i + 1]);
    }
  }

  static bool is_first_header(const Cells& cells) {
    return cells.size() >= 3 && cells[0].starts_with("NPU") && says(cells.back(), "power(");
  }

  void take_first_header(const Cells& cells) {
    header_ = {};
    header_.cells = cells.size();
    header_.first_words = lower_words(cells[0]);
    header_.npu_own_cell = header_.first_words == std::vector<std::string>{"npu", "id"};
    header_.first_labels = labels_of(cells.back());
    part_ = Part::second_header;
  }

  void take_second_header(const Cells& cells) {
    header_.second_words = lower_words(cells[0]);
    header_.second_labels = labels_of(cells.back());
    const bool memory = std::any_of(
        header_.second_labels.begin(), header_.second_labels.end(),
        [](const std::string& label) { return label.find("-usage(mb)") != std::string::npos; });
    if (cells.size() != header_.cells || !memory) {
      note("a table header that is not known");
      part_ = Part::after;
      return;
    }
    table_.recognised = true;
    rule_after_devices_ = false;
    part_ = Part::devices;
  }

  void take_first_row(const Cells& cells, std::string_view text) {
    rule_after_devices_ = false;
    npu_word_.clear();
    const auto words = words_of(cells[0]);
    if (cells.size() != header_.cells || words.empty()) {
      return spoilt("a device row that is not whole: " + std::string(text));
    }
    chip_ = {};
    npu_word_ = std::string(words[0]);
    const auto npu = whole_number(words[0]);
    const std::size_t health_cell = header_.npu_own_cell ? 2 : 1;
    if (header_.npu_own_cell) {
      chip_.name = std::string(cells[1]);
    } else if (words.size() >= 2) {
      chip_.name = std::string(cells[0].substr(words[1].data() - cells[0].data()));
    }
    if (!npu || cells[health_cell].empty() || chip_.name.empty() ||
        (header_.npu_own_cell && words.size() != 1)) {
      return spoilt("a device row that can't be read: " + std::string(text));
    }
    chip_.npu_id = *npu;
    chip_.health = clean_host_text(cells[health_cell], 40);
    chip_.name = clean_host_text(chip_.name, 40);
    if (const auto values = values_of(cells.back(), header_.first_labels)) {
      for (const auto& [label, value] : *values) {
        if (label.starts_with("power(")) chip_.power_w = sane(value.word, 0, 5000);
        if (label.starts_with("temp(")) chip_.temperature_c = sane(value.word, -60, 200);
      }
    } else {
      note("values that don't match their header: " + std::string(text));
    }
    part_ = Part::second_row;
  }

  static std::optional<double> sane(std::string_view word, double least, double most) {
    const auto value = decimal_number(word);
    return value && *value >= least && *value <= most ? value : std::nullopt;
  }

  void take_second_row(const Cells& cells, std::string_view text) {
    part_ = Part::devices;
    const auto words = words_of(cells[0]);
    if (cells.size() != header_.cells || words.size() != header_.second_words.size() ||
        table_.chips.size() >= most_chips) {
      return spoilt("the second row of NPU " + npu_word_ + " is not whole: " + std::string(text));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto value = whole_number(words[i]);
      if (!value) return spoilt("ids that are no numbers: " + std::string(text));
      if (header_.second_words[i] == "chip") chip_.chip_id = *value;
      if (header_.second_words[i] == "phy-id") chip_.phy_id = *value;
      if (header_.second_words[i] == "device") chip_.logic_id = *value;
    }
    if (find_chip(chip_.npu_id, chip_.chip_id) != nullptr) {
      return spoilt("a chip that is listed twice: " + std::string(text));
    }
    const auto bus = cells[cells.size() - 2];
    if (bus != "NA" && bus != "-") chip_.bus_id = clean_host_text(bus, 40);
    take_usage(cells.back(), text);
    table_.chips.push_back(chip_);
  }

  void take_usage(std::string_view cell, std::string_view text) {
    chip_.has_hbm = header_.second_labels.back().starts_with("hbm-usage");
    const auto values = values_of(cell, header_.second_labels);
    if (!values) return note("values that don't match their header: " + std::string(text));
    for (std::size_t i = 0; i < header_.second_labels.size(); ++i) {
      const auto& label = header_.second_labels[i];
      const auto& value = values->at(label);
      if (label.find("(%)") != std::string::npos) {
        // While profiling is on, the driver gives 0xEF for what it can't measure.
        const auto percent = whole_number(value.word);
        if (percent && *percent <= 100) {
          chip_.utilisation_percent = static_cast<int>(*percent);
        } else {
          note("utilisation unknown: " + std::string(text));
        }
        continue;
      }
      const auto used = whole_number(value.word);
      const auto total = whole_number(value.total);
      const bool sane = used && total && *used <= *total;
      if (!sane) note("memory unknown: " + std::string(text));
      if (i + 1 == header_.second_labels.size()) {
        if (sane && *total > 0) {
          chip_.memory_used_mb = used;
          chip_.memory_total_mb = total;
        }
      } else if (sane) {
        chip_.ddr_total_mb = total;
      }
    }
  }

  void take_process(const Cells& cells, std::string_view text) {
    if (cells.size() == 1) {
      const auto words = words_of(cells[0]);
      const auto npu = words.empty() ? std::nullopt : whole_number(words.back());
      if (!says(cells[0], "no running processes") || !npu) {
        return spoilt("a line of the process table that can't be read: " + std::string(text));
      }
      for (auto* chip : chips_of(*npu)) chip->process_view = ProcessView::none;
      return;
    }
    const auto ids = words_of(cells[0]);
    const auto npu = ids.empty() ? std::nullopt : whole_number(ids[0]);
    if (!npu || cells.size() != process_header_.cells ||
        ids.size() != (process_header_.has_chip ? 2U : 1U)) {
      return spoilt("a process row that is not whole: " + std::string(text));
    }
    if (group_npu_ != npu) close_group();
    group_npu_ = npu;
    std::optional<std::int64_t> chip_id;
    if (process_header_.has_chip) chip_id = whole_number(ids[1]);
    const auto pid = whole_number(cells[process_header_.pid]);
    Chip* chip = find_chip(*npu, chip_id);
    if (!pid || chip == nullptr || (process_header_.has_chip && !chip_id)) {
      return spoilt("a process row that can't be read: " + std::string(text));
    }
    DeviceProcess process;
    process.pid = *pid;
    process.name = clean_host_text(cells[process_header_.name], 80);
    process.memory_mb = whole_number(cells[process_header_.memory]);
    if (process_header_.container_pid) {
      process.container_pid = whole_number(cells[*process_header_.container_pid]);
    }
    chip->processes.push_back(std::move(process));
    chip->process_view = chip->processes.size() >= most_processes_shown ? ProcessView::maybe_cut
                                                                        : ProcessView::listed;
  }

  // The tool lists one NPU's processes and draws a rule: a chip of that NPU without a row has none.
  void close_group() {
    if (!group_npu_) {
      group_spoilt_ = false;
      return;
    }
    for (auto* chip : chips_of(*group_npu_)) {
      if (group_spoilt_) {
        chip->process_view = chip->processes.empty() ? ProcessView::unseen : ProcessView::maybe_cut;
      } else if (chip->processes.empty()) {
        chip->process_view = ProcessView::none;
      }
    }
    group_npu_.reset();
    group_spoilt_ = false;
  }

  void finish() {
    if (part_ == Part::second_row) spoilt("a device with only its first row: NPU " + npu_word_);
    if (group_npu_) {
      group_spoilt_ = true;
      note("the process table breaks off");
      close_group();
    }
    // A row that could not be read may have been any chip's.
    if (processes_spoilt_) {
      for (auto& chip : table_.chips) {
        if (chip.process_view == ProcessView::none) chip.process_view = ProcessView::unseen;
        if (chip.process_view == ProcessView::listed) chip.process_view = ProcessView::maybe_cut;
      }
    }
    const bool closed = rule_after_devices_ || table_.has_process_table;
    if (table_.recognised && !closed) note("the device table breaks off");
    table_.complete = table_.recognised && closed && !devices_spoilt_ && !table_.chips.empty();
  }

  std::vector<Chip*> chips_of(std::int64_t npu) {
    std::vector<Chip*> found;
    for (auto& chip : table_.chips) {
      if (chip.npu_id == npu) found.push_back(&chip);
    }
    return found;
  }

  Chip* find_chip(std::int64_t npu, const std::optional<std::int64_t>& chip_id) {
    const auto chips = chips_of(npu);
    if (!chip_id) return chips.size() == 1 ? chips[0] : nullptr;
    for (auto* chip : chips) {
      if (chip->chip_id == *chip_id) return chip;
    }
    return nullptr;
  }

  InfoTable table_;
  Part part_ = Part::before;
  DeviceHeader header_;
  ProcessHeader process_header_;
  Chip chip_;
  std::string npu_word_;
  std::optional<std::int64_t> group_npu_;
  bool group_spoilt_ = false;
  bool devices_spoilt_ = false;
  bool processes_spoilt_ = false;
  bool rule_after_devices_ = false;
};

}  // namespace

std::string_view to_string(ProcessView view) {
  switch (view) {
    case ProcessView::none:
      return "none";
    case ProcessView::listed:
      return "listed";
    case ProcessView::maybe_cut:
      return "maybe_cut";
    case ProcessView::unseen:
      break;
  }
  return "unseen";
}

InfoTable parse_info(std::string_view text) {
  return InfoReader().read(text);
}

std::string generation(const Chip& chip) {
  auto name = chip.name;
  if (name.starts_with("Ascend ")) name.erase(0, 7);
  if (name.starts_with("Ascend910") && chip.phy_id) return "A3";
  if (name.starts_with("Ascend")) name.erase(0, 6);
  if (name.starts_with("950")) return "950";
  if (name == "910" && !chip.phy_id) return "unknown";
  if (name.starts_with("910_93")) return "A3";
  if (name.starts_with("910A") || name.starts_with("910Pro") || name.starts_with("910Premium")) {
    return "910";
  }
  if (name == "910B" && chip.memory_total_mb == 32768 && chip.ddr_total_mb.value_or(0) > 0) {
    return "910";
  }
  if (name.starts_with("910B") && name.size() > 4) return "A2";
  if (name.starts_with("310P")) return "310P";
  if (name.starts_with("310B")) return "310B";
  if (name.starts_with("310")) return "310";
  return "unknown";
}

std::int64_t idle_memory_mb(std::string_view generation) {
  // Seen idle: 0-1 on the first 910, 2.8-3.5 GB on A2 and A3, 4.4-5.3 GB on 950, 1.4-4.1 GB on the
  // 310 family, whose memory is the system's too.
  if (generation == "910") return 500;
  if (generation == "A2" || generation == "A3") return 4000;
  if (generation == "950") return 6000;
  return 4500;
}

}  // namespace npuprof::ascend
