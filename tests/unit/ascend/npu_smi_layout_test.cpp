// Tables with made-up values, drawn from the column rules of each layout.
#include <gtest/gtest.h>

#include "ascend/npu_smi.hpp"
#include "ascend_tables.hpp"

namespace npuprof::ascend {
namespace {

TEST(NpuSmiLayout, TheOldestHasNeitherHugepagesNorProcesses) {
  const auto table = parse_info(tables::old_without_hugepages);
  ASSERT_TRUE(table.complete);
  EXPECT_EQ(table.tool_version, "1.8.0");
  EXPECT_EQ(table.driver_version, "21.0.2");
  ASSERT_EQ(table.chips.size(), 2U);
  EXPECT_EQ(table.chips[1].npu_id, 6);
  EXPECT_EQ(table.chips[1].bus_id, "0000:41:00.0");
  EXPECT_EQ(table.chips[1].memory_used_mb, 12);
  EXPECT_EQ(table.chips[1].memory_total_mb, 32768);
  EXPECT_EQ(table.chips[1].process_view, ProcessView::unseen);
  EXPECT_EQ(generation(table.chips[0]), "910");
}

TEST(NpuSmiLayout, APlain910BWithDdrIsTheFirstGeneration) {
  const auto table = parse_info(tables::plain_910b);
  ASSERT_EQ(table.chips.size(), 1U);
  EXPECT_EQ(generation(table.chips[0]), "910");
  EXPECT_EQ(table.chips[0].memory_total_mb, 32768);
}

TEST(NpuSmiLayout, A2WithGapsInItsIds) {
  const auto table = parse_info(tables::a2_gaps);
  ASSERT_TRUE(table.complete);
  ASSERT_EQ(table.chips.size(), 2U);
  EXPECT_EQ(table.chips[0].npu_id, 96);
  EXPECT_EQ(table.chips[1].npu_id, 32896);
  EXPECT_EQ(generation(table.chips[0]), "A2");
  EXPECT_EQ(table.chips[0].process_view, ProcessView::none);
  ASSERT_EQ(table.chips[1].processes.size(), 1U);
  EXPECT_EQ(table.chips[1].processes[0].memory_mb, 49812);
  EXPECT_EQ(table.chips[1].utilisation_percent, 100);
  EXPECT_EQ(table.chips[1].memory_used_mb, 53202) << "digits may touch the slash";
}

TEST(NpuSmiLayout, A3HasTwoChipsAnNpuAndNoPowerForTheSecond) {
  const auto table = parse_info(tables::a3);
  ASSERT_TRUE(table.complete);
  ASSERT_EQ(table.chips.size(), 2U);
  EXPECT_EQ(table.chips[1].npu_id, 3);
  EXPECT_EQ(table.chips[1].chip_id, 1);
  EXPECT_EQ(table.chips[1].phy_id, 7);
  EXPECT_FALSE(table.chips[1].power_w.has_value());
  EXPECT_EQ(table.chips[1].temperature_c, 41);
  EXPECT_EQ(generation(table.chips[1]), "A3");
}

TEST(NpuSmiLayout, The310FamilyHasOneMemoryAndALogicId) {
  const auto table = parse_info(tables::duo_310p);
  ASSERT_TRUE(table.complete);
  ASSERT_EQ(table.chips.size(), 2U);
  EXPECT_EQ(table.chips[1].logic_id, 1);
  EXPECT_FALSE(table.chips[1].phy_id.has_value());
  EXPECT_FALSE(table.chips[0].has_hbm);
  EXPECT_FALSE(table.chips[0].power_w.has_value()) << "printed as NA";
  EXPECT_EQ(table.chips[0].memory_total_mb, 44280);
  EXPECT_EQ(table.chips[0].process_view, ProcessView::none);
  EXPECT_EQ(generation(table.chips[0]), "310P");
  const auto small = parse_info(tables::alarm_310b);
  ASSERT_EQ(small.chips.size(), 1U);
  EXPECT_EQ(small.chips[0].bus_id, "");
  EXPECT_EQ(small.chips[0].health, "Alarm");
  EXPECT_EQ(generation(small.chips[0]), "310B");
}

TEST(NpuSmiLayout, Release26HasAColumnForThePidInTheContainer) {
  const auto table = parse_info(tables::wide_26);
  ASSERT_TRUE(table.complete);
  ASSERT_EQ(table.chips.size(), 1U);
  ASSERT_EQ(table.chips[0].processes.size(), 2U);
  EXPECT_EQ(table.chips[0].processes[0].container_pid, 77);
  EXPECT_FALSE(table.chips[0].processes[1].container_pid.has_value());
}

TEST(NpuSmiLayout, A950HasNoChipColumn) {
  const auto table = parse_info(tables::npu_950);
  ASSERT_TRUE(table.complete);
  ASSERT_EQ(table.chips.size(), 2U);
  EXPECT_EQ(table.chips[1].npu_id, 5);
  EXPECT_EQ(table.chips[1].chip_id, 0);
  EXPECT_EQ(table.chips[1].utilisation_percent, 63);
  EXPECT_EQ(table.chips[1].memory_used_mb, 71234);
  EXPECT_EQ(table.chips[1].processes.size(), 1U);
  EXPECT_EQ(table.chips[0].process_view, ProcessView::none);
  EXPECT_EQ(generation(table.chips[0]), "950");
}

TEST(NpuSmiLayout, EightProcessesMayBeACutList) {
  const auto table = parse_info(tables::eight_processes());
  ASSERT_EQ(table.chips.size(), 1U);
  EXPECT_EQ(table.chips[0].processes.size(), 8U);
  EXPECT_EQ(table.chips[0].process_view, ProcessView::maybe_cut);
}

TEST(NpuSmiLayout, HealthIsGivenAsPrinted) {
  for (const std::string health : {"Warning", "Alarm", "Critical", "UNKNOWN"}) {
    const auto table = parse_info(tables::a2_with(health));
    ASSERT_EQ(table.chips.size(), 1U) << health;
    EXPECT_EQ(table.chips[0].health, health);
  }
}

TEST(NpuSmiLayout, TheMapOfAllGenerations) {
  const auto duo = parse_map(tables::map_duo);
  ASSERT_EQ(duo.size(), 4U);
  EXPECT_EQ(duo[3].npu_id, 5);
  EXPECT_EQ(duo[3].chip_id, 1);
  EXPECT_EQ(duo[3].logic_id, 3);
  const auto slot = parse_map(tables::map_with_slot);
  ASSERT_EQ(slot.size(), 1U) << "the Mcu row is no chip";
  EXPECT_EQ(slot[0].logic_id, 4);
  EXPECT_EQ(slot[0].name, "Ascend 910A");
  const auto newest = parse_map(tables::map_950);
  ASSERT_EQ(newest.size(), 2U);
  EXPECT_FALSE(newest[0].logic_id.has_value());
  EXPECT_EQ(newest[1].phy_id, 1);
}

TEST(NpuSmiLayout, AWrappedErrorInformationBelongsToItsLabel) {
  const auto blocks = parse_blocks(
      "\tHealth Status                  : Alarm\n\tError Code                     : 80E01801\n"
      "\tError Information              : node type=SoC, sensor type=Other,\n"
      "\t                                 event state=made up\n");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].field("error code"), "80E01801");
  EXPECT_EQ(blocks[0].field("Error Information"),
            "node type=SoC, sensor type=Other, event state=made up");
}

}  // namespace
}  // namespace npuprof::ascend
