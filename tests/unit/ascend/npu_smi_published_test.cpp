// Every published npu-smi output of the shared data against the values that its index says are
// right. The index is read here, so that a sample that is added there is tested too.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ascend/npu_smi.hpp"
#include "ascend/table_text.hpp"

namespace npuprof::ascend {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(NPUPROF_SHARED_DATA) / "npu-smi";

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

#define NEED_SHARED_DATA() \
  if (!fs::exists(folder / "INDEX.md")) GTEST_SKIP() << "no shared npu-smi data at " << folder

struct Expected {
  std::string file, driver;
  std::vector<std::string> rows;       // "| 4 | chip 0 | 910A | ..."
  std::vector<std::string> processes;  // "0/0 3104272 (blank) 116"
  std::vector<std::int64_t> none;      // NPUs that run nothing
};

// The sections of INDEX.md that hold a device table.
std::vector<Expected> expected_tables() {
  std::vector<Expected> found;
  Expected now;
  const auto flush = [&] {
    if (!now.rows.empty()) found.push_back(now);
    now = {};
  };
  std::istringstream index(content(folder / "INDEX.md"));
  for (std::string line; std::getline(index, line);) {
    if (line.starts_with("## ")) {
      flush();
      now.file = line.substr(3);
    } else if (line.starts_with("# ")) {
      flush();
    } else if (line.starts_with("- Driver version to parse: ")) {
      now.driver = line.substr(27);
      if (now.driver.starts_with("(")) now.driver.clear();
    } else if (line.starts_with("| ") && !line.starts_with("| NPU")) {
      now.rows.push_back(line);
    } else if (line.starts_with("Processes (")) {
      std::istringstream list(line.substr(line.find("): ") + 3));
      for (std::string one; std::getline(list, one, ';');) {
        now.processes.emplace_back(trimmed(one));
      }
    } else if (line.starts_with("\"No running processes\"")) {
      std::istringstream list(line.substr(line.find(": ") + 2));
      for (std::string one; std::getline(list, one, ',');) {
        now.none.push_back(*whole_number(trimmed(one)));
      }
    }
  }
  flush();
  return found;
}

std::string number_text(const std::optional<double>& value) {
  if (!value) return "";
  std::ostringstream out;
  out << *value;
  return out.str();
}

// The row of INDEX.md that a parsed chip would make; power and temperature as numbers.
void expect_row(const Chip& chip, const std::string& row) {
  const auto cells = *cells_of(row);
  ASSERT_EQ(cells.size(), 9U) << row;
  EXPECT_EQ(std::to_string(chip.npu_id), cells[0]) << row;
  std::string ids = "chip " + std::to_string(chip.chip_id);
  if (chip.phy_id) ids += " phy " + std::to_string(*chip.phy_id);
  if (chip.logic_id) ids += " logic " + std::to_string(*chip.logic_id);
  EXPECT_EQ(ids, cells[1]) << row;
  EXPECT_EQ(chip.name, cells[2]) << row;
  EXPECT_EQ(chip.health, cells[3]) << row;
  EXPECT_EQ(number_text(chip.power_w), number_text(decimal_number(cells[4]))) << row;
  EXPECT_EQ(number_text(chip.temperature_c), number_text(decimal_number(cells[5]))) << row;
  EXPECT_EQ(chip.bus_id.empty() ? "NA" : chip.bus_id, cells[6]) << row;
  EXPECT_EQ(std::to_string(chip.utilisation_percent.value_or(-1)), cells[7]) << row;
  ASSERT_TRUE(chip.memory_used_mb && chip.memory_total_mb) << row;
  const std::string memory = std::string(chip.has_hbm ? "HBM " : "MEM ") +
                             std::to_string(*chip.memory_used_mb) + "/" +
                             std::to_string(*chip.memory_total_mb);
  EXPECT_EQ(memory, cells[8].substr(0, cells[8].find(" ("))) << row;
}

std::vector<std::string> process_texts(const InfoTable& table) {
  std::vector<std::string> texts;
  for (const auto& chip : table.chips) {
    for (const auto& process : chip.processes) {
      std::string text = std::to_string(chip.npu_id) + "/" + std::to_string(chip.chip_id) + " " +
                         std::to_string(process.pid) + " " +
                         (process.name.empty() ? "(blank)" : process.name) + " " +
                         std::to_string(process.memory_mb.value_or(-1));
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

TEST(PublishedNpuSmi, EveryDeviceTableGivesItsRightValues) {
  NEED_SHARED_DATA();
  const auto tables = expected_tables();
  ASSERT_GE(tables.size(), 13U) << "the index was not understood";
  for (const auto& expected : tables) {
    SCOPED_TRACE(expected.file);
    const auto table = parse_info(content(folder / expected.file));
    EXPECT_TRUE(table.recognised);
    EXPECT_TRUE(table.complete);
    EXPECT_TRUE(table.notes.empty()) << table.notes[0];
    EXPECT_EQ(table.driver_version, expected.driver);
    ASSERT_EQ(table.chips.size(), expected.rows.size());
    for (std::size_t i = 0; i < table.chips.size(); ++i) {
      expect_row(table.chips[i], expected.rows[i]);
    }
    std::vector<std::string> wanted;
    for (auto text : expected.processes) {
      if (const auto cpid = text.find(" cpid="); cpid != std::string::npos) text.resize(cpid);
      if (const auto dash = text.find("/- "); dash != std::string::npos) text[dash + 1] = '0';
      wanted.push_back(text);
    }
    EXPECT_EQ(process_texts(table), wanted);
    for (const auto& chip : table.chips) {
      const bool none =
          std::find(expected.none.begin(), expected.none.end(), chip.npu_id) != expected.none.end();
      if (none) {
        EXPECT_EQ(chip.process_view, ProcessView::none) << chip.npu_id;
      }
      if (expected.processes.empty() && expected.none.empty()) {
        EXPECT_EQ(chip.process_view, ProcessView::unseen) << chip.npu_id;
        EXPECT_FALSE(table.has_process_table);
      }
    }
  }
}

TEST(PublishedNpuSmi, PeculiaritiesOfSingleFiles) {
  NEED_SHARED_DATA();
  const auto old = parse_info(content(folder / "01-910a-1.9.3-21.0.rc1.txt"));
  EXPECT_EQ(old.tool_version, "1.9.3");
  const auto full = parse_info(content(folder / "07-910b3-25.2.0-container-8procs.txt"));
  EXPECT_EQ(full.chips.at(0).process_view, ProcessView::maybe_cut);
  EXPECT_EQ(full.chips.at(1).process_view, ProcessView::listed);
  const auto a3 = parse_info(content(folder / "09-a3-25.2.0-proc.txt"));
  EXPECT_EQ(a3.chips.at(2).process_view, ProcessView::none) << "NPU 1's rows name chip 1 only";
  EXPECT_EQ(generation(a3.chips.at(0)), "A3");
  const auto cut = parse_info(content(folder / "21-910b3-25.5.1-host-proc.txt"));
  EXPECT_EQ(cut.chips.at(0).process_view, ProcessView::unseen);
  EXPECT_EQ(cut.chips.at(1).process_view, ProcessView::listed);
  const auto newest = parse_info(content(folder / "18-910b3-26.1.0-proc.txt"));
  EXPECT_FALSE(newest.chips.at(0).processes.at(0).container_pid.has_value());
}

TEST(PublishedNpuSmi, MessagesAreNoTables) {
  NEED_SHARED_DATA();
  for (const auto* file : {"30-err-8005.txt", "32-err-9005.txt", "34-warn-driver-incomplete.txt"}) {
    const auto table = parse_info(content(folder / file));
    EXPECT_FALSE(table.recognised) << file;
    EXPECT_TRUE(table.chips.empty()) << file;
  }
  const auto with_trailer = parse_info(content(folder / "02-910a-21.0.4-noproc.txt") +
                                       content(folder / "34-warn-driver-incomplete.txt"));
  EXPECT_EQ(with_trailer.chips.size(), 2U);
  ASSERT_EQ(with_trailer.notes.size(), 1U);
  EXPECT_NE(with_trailer.notes[0].find("may not be completely installed"), std::string::npos);
}

TEST(PublishedNpuSmi, ListsAndMaps) {
  NEED_SHARED_DATA();
  const auto list = parse_list(content(folder / "40-info-l-910b.txt"));
  EXPECT_EQ(list.total, 8);
  ASSERT_EQ(list.cards.size(), 8U);
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(list.cards[i].npu_id, i);
    EXPECT_EQ(list.cards[i].chip_count, 1);
  }
  const auto map = parse_map(content(folder / "41-info-m-910b3.txt"));
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map[1].npu_id, 1);
  EXPECT_EQ(map[1].chip_id, 0);
  EXPECT_EQ(map[1].logic_id, 1);
  EXPECT_EQ(map[1].name, "Ascend 910B3");
  const auto a3 = parse_map(content(folder / "42-info-m-a3.txt"));
  ASSERT_EQ(a3.size(), 3U);
  EXPECT_EQ(a3[1].chip_id, 1);
  EXPECT_EQ(a3[1].logic_id, 1);
  EXPECT_EQ(a3[2].npu_id, 1);
  EXPECT_EQ(a3[2].logic_id, 2);
  EXPECT_EQ(a3[2].phy_id, 2);
}

TEST(PublishedNpuSmi, DetailsOfAChip) {
  NEED_SHARED_DATA();
  const auto only = [](const char* file) {
    const auto blocks = parse_blocks(content(folder / file));
    EXPECT_EQ(blocks.size(), 1U) << file;
    return blocks.empty() ? Block{} : blocks[0];
  };
  const auto usages = only("44-t-usages-910b.txt");
  EXPECT_EQ(usages.chip_id, 0);
  EXPECT_EQ(usages.npu_id, 0);
  EXPECT_EQ(usages.number("HBM Capacity(MB)"), 65536);
  EXPECT_EQ(usages.number("HBM Usage Rate(%)"), 5);
  EXPECT_EQ(usages.number("Aicore Usage Rate(%)"), 0);
  const auto first = only("45-t-usages-910a.txt");
  EXPECT_EQ(first.number("DDR Capacity(MB)"), 15171);
  EXPECT_EQ(first.number("DDR Usage Rate(%)"), 3);
  EXPECT_EQ(first.number("HBM Capacity(MB)"), 32768);
  const auto memory = only("47-t-memory-910b4.txt");
  EXPECT_EQ(memory.npu_id, 1);
  EXPECT_EQ(memory.number("HBM Capacity(MB)"), 32768);
  EXPECT_FALSE(memory.field("HBM Usage Rate(%)").has_value());
  const auto health = only("48-t-health-ok.txt");
  EXPECT_EQ(health.field("Health"), "OK");
  EXPECT_EQ(health.chip_id, 0);
  const auto one_chip = only("49-t-health-c0-ok.txt");
  EXPECT_EQ(one_chip.field("Health Status"), "OK");
  EXPECT_FALSE(one_chip.chip_id.has_value());
  const auto product = parse_blocks(content(folder / "51-t-product-310p.txt"));
  ASSERT_EQ(product.size(), 2U);
  EXPECT_EQ(product[0].npu_id, 2944);
  EXPECT_EQ(product[0].field("Product Type"), "Atlas 300I Duo");
  EXPECT_EQ(product[1].chip_id, 1);
  EXPECT_EQ(product[1].field("Product Type"), "Atlas 300I Duo");
  const auto board = only("52-t-board-910b.txt");
  EXPECT_EQ(board.field("Software Version"), "25.5.1");
  EXPECT_EQ(board.field("Firmware Version"), "7.8.0.6.201");
  EXPECT_EQ(board.field("Compatibility"), "OK");
  const auto process = only("53-t-proc-mem.txt");
  ASSERT_EQ(process.processes.size(), 1U);
  EXPECT_EQ(process.processes[0].pid, 1654497);
  EXPECT_EQ(process.processes[0].name, "python");
  EXPECT_EQ(process.processes[0].memory_mb, 177);
  EXPECT_EQ(only("54-t-temp-910b.txt").number("NPU Temperature (C)"), 39);
  EXPECT_EQ(only("55-t-power-910b.txt").number("NPU Real-time Power(W)"), 103.5);
  const auto common = only("56-t-common-910.txt");
  EXPECT_EQ(common.chip_id, 0);
  EXPECT_EQ(common.number("NPU Real-time Power(W)"), 69.0);
  EXPECT_EQ(common.number("Temperature(C)"), 46);
}

}  // namespace
}  // namespace npuprof::ascend
