// The data files: failure texts and hazards.
#include <gtest/gtest.h>

#include "ascend/failure_texts.hpp"
#include "ascend/hazards.hpp"

namespace npuprof::ascend {
namespace {

struct Said {
  std::string text, id;
  Who who;
};

TEST(WorkloadTexts, AreRecognisedWithTheirRemedy) {
  const std::vector<Said> list = {
      {"RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB", "workload_out_of_memory",
       Who::agent},
      {"aclInit, error code is 507899", "workload_507899", Who::user},
      {"Resource_Busy(EL0005): The resources are busy.", "workload_el0005", Who::user},
      {"open device failed, drvRetCode=87", "workload_drv_87", Who::user},
      {"set device failed, error code is 107001", "workload_107001", Who::agent},
      {"EE1001: invalid device, set drv device=100, valid device range is [0, 8)",
       "workload_ee1001", Who::agent},
      {"EE2002: duplicate device", "workload_ee2002", Who::user},
      {"error code is 507033, Failed to start the device.", "workload_507033", Who::administrator},
      {"EE1015: the driver is old", "workload_ee1015", Who::administrator},
      {"EE4004 Failed to enable profiling. Reason: sample based profiling is ongoing.",
       "workload_other_profiler", Who::user},
      {"EJ0003: Failed to bind the IP port", "workload_hccl_port", Who::user},
      {"EI0019: bind failed", "workload_hccl_range", Who::user},
      {"KeyError: 'getpwuid(): uid not found: 1000'", "workload_getpwuid", Who::user},
  };
  for (const auto& said : list) {
    const auto known = known_failures("workload", "step 1\n" + said.text + "\nmore");
    ASSERT_FALSE(known.empty()) << said.text;
    EXPECT_EQ(known[0].id, said.id);
    EXPECT_EQ(known[0].who, said.who) << said.id;
    EXPECT_FALSE(known[0].remedy.empty());
    EXPECT_EQ(telling_line("workload", "step 1\n" + said.text + "\nmore"), said.text);
  }
  EXPECT_TRUE(known_failures("workload", "all is well").empty());
  EXPECT_EQ(telling_line("workload", "all is well"), "");
}

Versions versions(const std::string& cann, const std::string& torch_npu) {
  Versions found;
  found.cann.value = cann;
  found.torch_npu.value = torch_npu;
  if (const auto pair = find_pair(torch_npu)) found.torch_npu_release.value = pair->release;
  return found;
}

const FoundHazard* find(const std::vector<FoundHazard>& hazards, const std::string& id) {
  for (const auto& one : hazards) {
    if (one.hazard.id == id) return &one;
  }
  return nullptr;
}

TEST(Hazards, AreThoseOfTheVersionsFound) {
  const auto bad = hazards_for(versions("9.1.0", "2.10.0.post4"));
  const auto* stacks = find(bad, "stack_capture_kills_workers");
  ASSERT_NE(stacks, nullptr);
  EXPECT_TRUE(stacks->certain);
  EXPECT_EQ(stacks->hazard.settings, (Json{{"with_stack", false}}));
  const auto good = hazards_for(versions("8.5.0", "2.7.1.post2"));
  EXPECT_EQ(find(good, "stack_capture_kills_workers"), nullptr);
  EXPECT_NE(find(good, "open_output_path"), nullptr) << "release 7.3.0";
  EXPECT_EQ(find(good, "inert_profiler"), nullptr) << "from 26.1.0 on";
}

TEST(Hazards, OfAnUnknownVersionAreUncertain) {
  const auto found = hazards_for(versions("", ""));
  const auto* stacks = find(found, "stack_capture_kills_workers");
  ASSERT_NE(stacks, nullptr);
  EXPECT_FALSE(stacks->certain);
  EXPECT_TRUE(find(found, "online_export_in_workload")->certain) << "of every version";
}

TEST(Hazards, EachSaysWhatHappensWhatToDoAndWhoReportedIt) {
  for (const auto& one : hazards_for({})) {
    EXPECT_FALSE(one.hazard.title.empty()) << one.hazard.id;
    EXPECT_FALSE(one.hazard.workaround.empty()) << one.hazard.id;
    EXPECT_FALSE(one.hazard.source.empty()) << one.hazard.id;
    EXPECT_FALSE(one.hazard.applies_to.empty()) << one.hazard.id;
  }
}

}  // namespace
}  // namespace npuprof::ascend
