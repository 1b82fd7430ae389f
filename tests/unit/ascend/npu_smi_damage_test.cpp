// Damaged output never gives a wrong number: a value is right, or it is not there.
#include <gtest/gtest.h>

#include <random>

#include "ascend/npu_smi.hpp"
#include "ascend_tables.hpp"

namespace npuprof::ascend {
namespace {

const Chip* find(const InfoTable& table, std::int64_t npu, std::int64_t chip) {
  for (const auto& one : table.chips) {
    if (one.npu_id == npu && one.chip_id == chip) return &one;
  }
  return nullptr;
}

// Everything that `damaged` claims, `whole` says too.
void expect_nothing_invented(const InfoTable& damaged, const InfoTable& whole) {
  for (const auto& chip : damaged.chips) {
    const auto* right = find(whole, chip.npu_id, chip.chip_id);
    ASSERT_NE(right, nullptr) << chip.npu_id << "/" << chip.chip_id;
    EXPECT_EQ(chip.name, right->name);
    EXPECT_EQ(chip.health, right->health);
    EXPECT_EQ(chip.bus_id, right->bus_id);
    EXPECT_EQ(chip.phy_id, right->phy_id);
    EXPECT_EQ(chip.logic_id, right->logic_id);
    if (chip.power_w) {
      EXPECT_EQ(chip.power_w, right->power_w);
    }
    if (chip.temperature_c) {
      EXPECT_EQ(chip.temperature_c, right->temperature_c);
    }
    if (chip.utilisation_percent) {
      EXPECT_EQ(chip.utilisation_percent, right->utilisation_percent);
    }
    if (chip.memory_used_mb) {
      EXPECT_EQ(chip.memory_used_mb, right->memory_used_mb);
    }
    if (chip.memory_total_mb) {
      EXPECT_EQ(chip.memory_total_mb, right->memory_total_mb);
    }
    if (chip.process_view == ProcessView::none) {
      EXPECT_EQ(right->process_view, ProcessView::none);
    }
    if (chip.process_view == ProcessView::listed) {
      EXPECT_EQ(chip.processes.size(), right->processes.size());
    }
    for (const auto& process : chip.processes) {
      EXPECT_TRUE(std::any_of(
          right->processes.begin(), right->processes.end(), [&](const DeviceProcess& one) {
            return one.pid == process.pid && one.name == process.name &&
                   (!process.memory_mb || one.memory_mb == process.memory_mb) &&
                   (!process.container_pid || one.container_pid == process.container_pid);
          }));
    }
  }
}

std::vector<std::string> all_tables() {
  return {tables::old_without_hugepages,
          tables::plain_910b,
          tables::a2_gaps,
          tables::a3,
          tables::duo_310p,
          tables::alarm_310b,
          tables::wide_26,
          tables::npu_950,
          tables::eight_processes()};
}

TEST(NpuSmiDamage, TextCutAnywhereIsUnknownNeverWrong) {
  for (const auto& text : all_tables()) {
    const auto whole = parse_info(text);
    ASSERT_TRUE(whole.complete);
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      const auto head = parse_info(std::string_view(text).substr(0, cut));
      expect_nothing_invented(head, whole);
      if (head.chips.size() < whole.chips.size() && head.recognised) {
        // A cut right behind a closing rule looks whole, as a list of fewer devices would.
        const bool at_rule = cut >= 2 &&
                             text.substr(0, cut).find_last_not_of("\n") != std::string::npos &&
                             text[text.substr(0, cut).find_last_not_of("\n")] == '+';
        if (!at_rule) {
          EXPECT_FALSE(head.complete) << text.substr(0, cut);
        }
      }
      expect_nothing_invented(parse_info(std::string_view(text).substr(cut)), whole);
      if (HasFailure()) return;
    }
  }
}

TEST(NpuSmiDamage, ALineThatWasCutInTheMiddleOfTheTableIsUnknown) {
  for (const auto& text : all_tables()) {
    const auto whole = parse_info(text);
    for (std::size_t at = 0; at < text.size(); at += 3) {
      auto damaged = text;
      const auto end = damaged.find('\n', at);
      if (end == std::string::npos || at == 0 || text[at - 1] == '\n') continue;  // a line's tail
      damaged.erase(at, end - at);
      expect_nothing_invented(parse_info(damaged), whole);
      if (HasFailure()) FAIL() << damaged;
    }
  }
}

TEST(NpuSmiDamage, ColourCodesAreSeenThrough) {
  auto text = tables::a2_with("Alarm");
  text.replace(text.find("Alarm"), 5, "\x1b[31mAlarm\x1b[0m");
  const auto table = parse_info(text);
  ASSERT_EQ(table.chips.size(), 1U);
  EXPECT_EQ(table.chips[0].health, "Alarm");
}

TEST(NpuSmiDamage, CarriageReturnsOfATerminalAreSeenThrough) {
  std::string text;
  for (const char c : tables::a3) {
    if (c == '\n') text += '\r';
    text += c;
  }
  EXPECT_TRUE(parse_info(text).complete);
}

TEST(NpuSmiDamage, ANulInARowMakesTheRowUnknown) {
  auto text = tables::a2_gaps;
  text[text.find("2891") + 1] = '\0';
  const auto table = parse_info(text);
  EXPECT_EQ(find(table, 96, 0), nullptr);
  EXPECT_NE(find(table, 32896, 0), nullptr);
  EXPECT_FALSE(table.complete);
  EXPECT_FALSE(table.notes.empty());
}

TEST(NpuSmiDamage, NumbersThatOverflowAreUnknown) {
  auto text = tables::a2_with("OK");
  text.replace(text.find("3301"), 4, "99999999999999999999");
  text.replace(text.find("90.5"), 4, "1e999");
  text.replace(text.find(" 0           0    /"), 2, " 239");
  const auto table = parse_info(text);
  ASSERT_EQ(table.chips.size(), 1U);
  EXPECT_FALSE(table.chips[0].memory_used_mb.has_value());
  EXPECT_FALSE(table.chips[0].memory_total_mb.has_value());
  EXPECT_FALSE(table.chips[0].power_w.has_value());
  EXPECT_FALSE(table.chips[0].utilisation_percent.has_value()) << "0xEF: profiling is on";
  EXPECT_EQ(table.chips[0].temperature_c, 45);
  EXPECT_FALSE(table.notes.empty());
}

TEST(NpuSmiDamage, MoreUsedThanThereIsIsUnknown) {
  auto text = tables::a2_with("OK");
  text.replace(text.find("3301 / 65536"), 12, "65537/ 65536");
  EXPECT_FALSE(parse_info(text).chips.at(0).memory_used_mb.has_value());
}

TEST(NpuSmiDamage, AChipWithoutItsSecondRowIsLeftOut) {
  auto text = tables::a2_gaps;
  const auto row = text.find("| 0                         | 0000:01:00.0");
  text.erase(row, text.find('\n', row) - row + 1);
  const auto table = parse_info(text);
  EXPECT_EQ(table.chips.size(), 1U);
  EXPECT_FALSE(table.complete);
}

TEST(NpuSmiDamage, AProcessRowThatCantBeReadMakesNobodyIdle) {
  auto text = tables::a2_gaps;
  text.replace(text.find("40211"), 5, "4o211");
  const auto table = parse_info(text);
  EXPECT_EQ(find(table, 96, 0)->process_view, ProcessView::unseen);
  EXPECT_EQ(find(table, 32896, 0)->process_view, ProcessView::unseen);
}

TEST(NpuSmiDamage, TenMegabytesOfNoiseEndAndGiveNothing) {
  std::mt19937 random(7);
  std::string noise(10 << 20, ' ');
  for (auto& c : noise) c = static_cast<char>(random() & 0xff);
  EXPECT_TRUE(parse_info(noise).chips.empty());
  EXPECT_TRUE(parse_map(noise).empty());
  EXPECT_TRUE(parse_blocks(noise).empty());
  EXPECT_TRUE(parse_info(std::string(10 << 20, '|')).chips.empty());
  EXPECT_TRUE(parse_list(noise).cards.empty());
}

TEST(NpuSmiDamage, MapAndListRowsThatWereCutAreLeftOut) {
  const auto whole = parse_map(tables::map_duo);
  for (std::size_t cut = 0; cut < tables::map_duo.size(); ++cut) {
    for (const auto& row : parse_map(std::string_view(tables::map_duo).substr(0, cut))) {
      EXPECT_TRUE(std::any_of(whole.begin(), whole.end(), [&](const MapRow& right) {
        return right.npu_id == row.npu_id && right.chip_id == row.chip_id &&
               right.logic_id == row.logic_id;
      }));
    }
  }
  const auto list = parse_list("\tTotal Count : 2\n\tNPU ID : 12\n\tChip Count : 1\n\tNPU ID : 1");
  ASSERT_EQ(list.cards.size(), 1U);
  EXPECT_EQ(list.cards[0].npu_id, 12);
}

}  // namespace
}  // namespace npuprof::ascend
