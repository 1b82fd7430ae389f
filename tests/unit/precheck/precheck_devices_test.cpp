// Which device is which, which is free, and which a run should take.
#include <gtest/gtest.h>

#include "precheck/devices.hpp"
#include "probe_text.hpp"

namespace npuprof::precheck {
namespace {

using ascend::HostFacts;

DeviceMap mapped(const HostFacts& facts, const std::string& info, const std::string& map = {}) {
  auto found = map_devices(facts, ascend::parse_info(info), ascend::parse_map(map));
  for (auto& device : found.devices) judge(device, facts);
  return found;
}

HostFacts with_nodes(std::vector<int> numbers) {
  HostFacts facts;
  for (const int number : numbers) {
    facts.nodes.push_back({"davinci" + std::to_string(number), 0660, "root", "root", true});
  }
  return facts;
}

TEST(DeviceIds, FollowTheLogicIdsOfTheMapNotTheTable) {
  const auto map = mapped(with_nodes({0, 1}), a2_table({{}, {}}),
                          "\tNPU ID    Chip ID    Chip Logic ID    Chip Name\n"
                          "\t0         0          1                Ascend 910B3\n"
                          "\t1         0          0                Ascend 910B3\n");
  ASSERT_EQ(map.devices.size(), 2U);
  EXPECT_EQ(map.devices[0].chip.npu_id, 1);
  EXPECT_EQ(map.devices[1].chip.npu_id, 0);
  EXPECT_EQ(map.devices[1].logic_id, 1);
}

TEST(DeviceIds, RestartAtZeroInAContainerThatWasGivenLaterDevices) {
  auto facts = with_nodes({2, 3});
  facts.container = "docker";
  facts.python.device_count = 2;
  const auto map = mapped(facts, a2_table({{}, {}, {}, {}}));
  ASSERT_EQ(map.devices.size(), 2U);
  EXPECT_TRUE(map.certain);
  EXPECT_EQ(map.devices[0].device_id, 0);
  EXPECT_EQ(map.devices[0].chip.npu_id, 2);
  EXPECT_EQ(map.devices[0].lease_key, "0000_C2_00.0") << "the bus id is the identity";
}

TEST(DeviceIds, AnOnlyDeviceOfAContainerIsIndexZeroWhateverItsNode) {
  auto facts = with_nodes({14});
  facts.container = "docker";
  facts.python.device_count = 1;
  const auto map = mapped(facts, a2_table({{}}));
  ASSERT_EQ(map.devices.size(), 1U);
  EXPECT_EQ(map.devices[0].device_id, 0);
  EXPECT_TRUE(map.certain);
}

TEST(DeviceIds, AreUncertainWhereTorchCountsOtherwise) {
  auto facts = with_nodes({0, 1, 2, 3});
  facts.python.device_count = 2;
  const auto map = mapped(facts, a2_table({{}, {}, {}, {}}));
  EXPECT_FALSE(map.certain);
  EXPECT_NE(map.note.find("torch counts 2"), std::string::npos) << map.note;
}

TEST(DeviceIds, AreRenumberedByVisibleDevices) {
  auto facts = with_nodes({0, 1, 2, 3});
  facts.env["ASCEND_RT_VISIBLE_DEVICES"] = "1,3";
  facts.python.device_count = 2;
  const auto map = mapped(facts, a2_table({{}, {}, {}, {}}));
  ASSERT_EQ(map.devices.size(), 2U);
  EXPECT_EQ(map.devices[1].device_id, 1);
  EXPECT_EQ(map.devices[1].chip.npu_id, 3);
}

TEST(VisibleDevices, AreReadAsTheRuntimeReadsThem) {
  EXPECT_EQ(visible_devices("0,2", 4).ids, (std::vector<int>{0, 2}));
  EXPECT_EQ(visible_devices("0,2", 4).trap, "");
  EXPECT_EQ(visible_devices("0-3", 4).ids, (std::vector<int>{0})) << "a range is no list";
  EXPECT_EQ(visible_devices("0, 1", 4).ids, (std::vector<int>{0})) << "a blank ends it";
  EXPECT_EQ(visible_devices("0,9,1", 4).ids, (std::vector<int>{0})) << "a bad id ends it";
  EXPECT_TRUE(visible_devices("2,1", 4).ids.empty()) << "not ascending";
  EXPECT_TRUE(visible_devices("1,1", 4).ids.empty()) << "twice";
  EXPECT_TRUE(visible_devices("4", 1).ids.empty()) << "the host's number in a container";
  EXPECT_TRUE(visible_devices("", 4).ids.empty());
  EXPECT_TRUE(visible_devices("99999999999999999999", 4).ids.empty());
}

TEST(DeviceState, IsBusyByProcessByMemoryAndByWork) {
  const auto map = mapped({}, a2_table({{.used_mb = 3600, .processes = "77 python 115"},
                                        {.used_mb = 20000},
                                        {.percent = 60},
                                        {}}));
  ASSERT_EQ(map.devices.size(), 4U);
  EXPECT_EQ(map.devices[0].state, DeviceState::busy) << map.devices[0].reason;
  EXPECT_EQ(map.devices[1].state, DeviceState::busy) << map.devices[1].reason;
  EXPECT_EQ(map.devices[2].state, DeviceState::busy) << map.devices[2].reason;
  EXPECT_EQ(map.devices[3].state, DeviceState::free) << map.devices[3].reason;
}

TEST(DeviceState, IsUnknownWhereProcessesAreNotListed) {
  const auto map = mapped({}, a2_table({{.processes = "unseen"}}));
  EXPECT_EQ(map.devices.at(0).state, DeviceState::unknown) << "never taken for none";
}

TEST(DeviceState, NamesTheRunThatHoldsTheLease) {
  HostFacts facts;
  facts.leases = {{"0000_C0_00.0", R"({"run_id": "a2-1"})", true},
                  {"0000_C1_00.0", R"({"run_id": "a2-2"})", false},
                  {"0000_C2_00.0", R"({"run_id": "a2-3"})", std::nullopt}};
  const auto map = mapped(facts, a2_table({{}, {}, {}}));
  EXPECT_EQ(map.devices[0].state, DeviceState::busy);
  EXPECT_EQ(map.devices[0].leased_by, "a2-1");
  EXPECT_EQ(map.devices[1].state, DeviceState::free) << "nobody holds that lock: it is stale";
  EXPECT_EQ(map.devices[2].state, DeviceState::unknown) << "could not be tried";
}

TEST(DeviceState, IsUnhealthyBeyondAWarning) {
  const auto map = mapped({}, a2_table({{.health = "Alarm"}, {.health = "Warning"}}));
  EXPECT_EQ(map.devices[0].state, DeviceState::unhealthy);
  EXPECT_EQ(map.devices[1].state, DeviceState::free);
}

TEST(Recommendation, TakesTheFreestHealthyDeviceAndSaysWhy) {
  const auto map = mapped({}, a2_table({{.health = "Warning", .used_mb = 2900},
                                        {.used_mb = 3400},
                                        {.used_mb = 3100},
                                        {.used_mb = 60000},
                                        {.health = "Critical"}}));
  const auto recommendation = recommend(map.devices);
  EXPECT_EQ(recommendation.device_ids, (std::vector<int>{2, 1, 0}));
  EXPECT_NE(recommendation.reason.find("3100 MB"), std::string::npos) << recommendation.reason;
}

TEST(Recommendation, SaysWhyThereIsNone) {
  const auto map = mapped({}, a2_table({{.used_mb = 60000}}));
  const auto recommendation = recommend(map.devices);
  EXPECT_TRUE(recommendation.device_ids.empty());
  EXPECT_NE(recommendation.reason.find("60000 MB"), std::string::npos) << recommendation.reason;
  EXPECT_EQ(recommend({}).reason, "no device is seen");
}

TEST(LeaseKeys, TellTheChipsOfOne310PCardApart) {
  const std::string info =
      "+-------------------------------------------------------------------------------------------"
      "-"
      "------------+\n| npu-smi 24.1.0                                   Version: 24.1.0           "
      "                            |\n"
      "+-------------------------------+-----------------+-----------------------------------------"
      "-"
      "------------+\n"
      "| NPU     Name                  | Health          | Power(W)     Temp(C)           "
      "Hugepages-Usage(page) |\n"
      "| Chip    Device                | Bus-Id          | AICore(%)    Memory-Usage(MB)           "
      "  "
      "               |\n"
      "+===============================+=================+========================================="
      "="
      "============+\n"
      "| 4       310P3                 | OK              | NA           47                0     / "
      "0  "
      "               |\n"
      "| 0       0                     | 0000:05:00.0    | 0            1507 / 44280               "
      "  "
      "               |\n"
      "+-------------------------------+-----------------+-----------------------------------------"
      "-"
      "------------+\n"
      "| 4       310P3                 | OK              | NA           46                0     / "
      "0  "
      "               |\n"
      "| 1       1                     | 0000:05:00.0    | 0            1420 / 43693               "
      "  "
      "               |\n"
      "+===============================+=================+========================================="
      "="
      "============+\n";
  const auto map = mapped({}, info);
  ASSERT_EQ(map.devices.size(), 2U);
  EXPECT_NE(map.devices[0].lease_key, map.devices[1].lease_key);
}

}  // namespace
}  // namespace npuprof::precheck
