#include "ascend/versions.hpp"

#include <gtest/gtest.h>

namespace npuprof::ascend {
namespace {

TEST(VersionOrder, IsThatOfTheirMakers) {
  const std::vector<std::vector<std::string>> ascending = {
      {"8.0.RC1", "8.0.RC2.alpha001", "8.0.RC2", "8.0.RC3", "8.0.0", "8.1.RC1", "8.5.0", "9.1.0"},
      {"2.1.0rc1", "2.1.0", "2.1.0.post4", "2.1.0.post13", "2.5.1", "2.5.1.post1", "2.10.0"},
      {"21.0.rc1", "21.0.4", "23.0.rc3", "23.0.7", "24.1.rc2.1", "25.0.rc1", "25.0.rc1.1",
       "25.2.0"},
      {"6.0.rc3", "6.0.0", "7.0.0", "7.3.0", "26.0.0"}};
  for (const auto& versions : ascending) {
    for (std::size_t i = 0; i + 1 < versions.size(); ++i) {
      EXPECT_EQ(compare_versions(versions[i], versions[i + 1]), std::strong_ordering::less)
          << versions[i] << " " << versions[i + 1];
      EXPECT_EQ(compare_versions(versions[i + 1], versions[i]), std::strong_ordering::greater);
    }
  }
  EXPECT_EQ(compare_versions("2.7.1+cpu", "2.7.1"), std::strong_ordering::equal);
  EXPECT_EQ(compare_versions("8.1.RC1", "8.1.0.rc1"), std::strong_ordering::equal);
  for (const auto* none : {"", "unknown", "8.x", "V100R001C21", "99999999999999999999"}) {
    EXPECT_FALSE(compare_versions(none, "8.0").has_value()) << none;
  }
}

TEST(VersionRanges, HoldEveryCondition) {
  EXPECT_TRUE(in_range("7.3.0", ">=7.2.0 <26.1.0"));
  EXPECT_FALSE(in_range("26.1.0", ">=7.2.0 <26.1.0"));
  EXPECT_TRUE(in_range("anything", "*"));
  EXPECT_FALSE(in_range("anything", ">=1"));
  EXPECT_FALSE(in_range("1.0", "~1.0"));
  EXPECT_TRUE(in_range("2.10.0.post4", "==2.10.0.post4"));
  EXPECT_FALSE(in_range("2.10.0.post6", "==2.10.0.post4"));
}

TEST(PairTable, KnowsItsRowsAndItsSource) {
  EXPECT_GE(pair_table().size(), 39U);
  EXPECT_FALSE(pair_table_source().date.empty());
  for (const auto& pair : pair_table()) {
    EXPECT_EQ(base_version(pair.torch_npu), pair.torch) << pair.torch_npu;
    EXPECT_TRUE(compare_versions(pair.cann, "5").has_value()) << pair.cann;
  }
  EXPECT_EQ(find_pair("2.7.1.post2")->cann, "8.5.0");
  EXPECT_EQ(find_pair("2.7.1.post2")->release, "7.3.0");
  EXPECT_EQ(find_pair("2.6.0")->cann, "8.2.RC1");
  EXPECT_FALSE(find_pair("2.7.1.dev20250601").has_value());
  EXPECT_EQ(torch_npu_for_cann("8.1.rc1").size(), 4U);
  EXPECT_EQ(python_for_torch("2.6.0+cpu")->to, "3.11");
}

TEST(BaseVersion, IsWhatTorchAndTorchNpuShare) {
  EXPECT_EQ(base_version("2.5.1.post1+cpu"), "2.5.1");
  EXPECT_EQ(base_version("2.1.0rc1"), "2.1.0");
  EXPECT_EQ(base_version("2.10.0"), "2.10.0");
  EXPECT_EQ(base_version("nothing"), "");
  EXPECT_TRUE(is_prerelease("2.6.0.dev20250601"));
  EXPECT_FALSE(is_prerelease("2.6.0.post3"));
}

TEST(CannVersion, ComesFromTheInstallInfoFirst) {
  const auto found =
      cann_version({{"/c/aarch64-linux/ascend_toolkit_install.info", "version=8.1.RC1\n"},
                    {"/c/version.cfg", "toolkit_running_version=[7.7.0.1.238:8.1.RC1]\n"},
                    {"/c/opp/version.info", "Version=7.7.0.1.238\nversion_dir=8.0.0\n"}});
  EXPECT_EQ(found.value, "8.1.RC1");
  EXPECT_EQ(found.source, "/c/aarch64-linux/ascend_toolkit_install.info");
  ASSERT_EQ(found.all.size(), 3U);
  EXPECT_EQ(found.all[1].second, "8.1.RC1") << "behind the colon, not the maker's number";
  EXPECT_EQ(found.all[2].second, "8.0.0");
}

TEST(CannVersion, OfTheNewLayoutComesFromItsPackages) {
  EXPECT_EQ(cann_version({{"/c/share/info/runtime/version.info", "Version=9.1.0\n"}}).value,
            "9.1.0");
  EXPECT_EQ(cann_version({{"/c/compiler/version.info", "Version=7.6.0.1.220\n"}}).value, "")
      << "the maker's number is not CANN's version";
}

TEST(DriverVersion, PrefersThePackage) {
  EXPECT_EQ(version_in("Version=25.0.rc1.1\nascendhal_version=7.35.23\npackage_version=25.0.1\n",
                       {"package_version", "Version"}),
            "25.0.1");
  EXPECT_EQ(
      version_in("ascendhal_version=7.35.23\nVersion=23.0.7\n", {"package_version", "Version"}),
      "23.0.7");
  EXPECT_EQ(version_in("Version=\n", {"package_version", "Version"}), "");
}

}  // namespace
}  // namespace npuprof::ascend
