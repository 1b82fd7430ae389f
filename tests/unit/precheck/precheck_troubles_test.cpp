// What can be wrong with a host, one trouble at a time: the check that tells it, its status, what
// to do, and who can do it. Everything else on that host is right.
#include <gtest/gtest.h>

#include <set>

#include "precheck/precheck.hpp"
#include "probe_text.hpp"

namespace npuprof::precheck {
namespace {

struct Trouble {
  std::string name;
  std::function<void(ProbeText&, Target&)> make;
  std::string check;
  CheckStatus status;
  Who who;
  std::string message;  // words that must be in it
  std::string remedy;
  std::vector<int> device_ids = {};
};

constexpr auto fail_status = CheckStatus::fail;
constexpr auto warn = CheckStatus::warn;
constexpr auto unknown_status = CheckStatus::unknown;
constexpr auto user = Who::user;
constexpr auto admin = Who::administrator;
constexpr auto agent = Who::agent;

Target a2_target() {
  Target target;
  target.name = "a2";
  target.workspace = "/home/dev/work";
  return target;
}

// npu-smi says `text` and no table.
auto npu_smi_says(std::string text) {
  return [text = std::move(text)](ProbeText& host, Target&) {
    host.set("devices", "info", text + "\n", 1).set("devices", "map", text + "\n", 1);
    host.import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 0})");
  };
}

auto import_says(std::string text) {
  return [text = std::move(text)](ProbeText& host, Target&) {
    host.import(R"({"torch": null, "torch_npu": null, "device_count": null})",
                "Traceback (most recent call last):\n" + text + "\n");
  };
}

auto section(std::string field, std::string name, std::string text,
             int status = ProbeText::no_status) {
  return [=](ProbeText& host, Target&) { host.set(field, name, text, status); };
}

auto table(std::vector<TableDevice> devices) {
  return [devices = std::move(devices)](ProbeText& host, Target&) {
    host.set("devices", "info", a2_table(devices), 0);
  };
}

auto environment(std::string line) {
  return section("software", "env",
                 "ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/latest\n" + line + "\n");
}

auto packages(std::string torch, std::string torch_npu, std::string python = "3.10.12") {
  return [=](ProbeText& host, Target&) {
    host.python(R"({"version": ")" + python + R"(", "packages": {"torch": ")" + torch +
                R"(", "torch_npu": ")" + torch_npu + R"("}, "locked": []})");
    host.import(R"({"torch": ")" + torch + R"(", "torch_npu": ")" + torch_npu +
                R"(", "device_count": 2})");
  };
}

const std::vector<Trouble>& troubles() {
  static const std::vector<Trouble> list = {
      // npu-smi
      {"npu_smi_8005", npu_smi_says("DrvMngGetConsoleLogLevel failed. (ret=4)\ndcmi module initialize failed. ret is -8005"), "npu_smi", fail_status, admin, "driver's group", "usermod"},
      {"npu_smi_log_level_alone", npu_smi_says("DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)"), "npu_smi", fail_status, admin, "can't talk to the driver", "usermod"},
      {"npu_smi_8020", npu_smi_says("dcmi model initialized failed, because the device is used. ret is -8020"), "npu_smi", fail_status, user, "in use by another", "Find who holds it"},
      {"npu_smi_8002", npu_smi_says("dcmi module initialize failed. ret is -8002"), "npu_smi", fail_status, admin, "no permission", "usermod"},
      {"npu_smi_8006", npu_smi_says("get device info failed. ret is -8006"), "npu_smi", fail_status, admin, "did not answer in time", "reset"},
      {"npu_smi_8008", npu_smi_says("get card num failed. ret is -8008"), "npu_smi", fail_status, admin, "no such device", "/dev/davinci"},
      {"npu_smi_8012", npu_smi_says("dcmi module initialize failed. ret is -8012"), "npu_smi", fail_status, user, "not ready", "Wait"},
      {"npu_smi_8013", npu_smi_says("this command is not supported in container. ret is -8013"), "npu_smi", warn, user, "container", "host itself"},
      {"npu_smi_8017", npu_smi_says("dcmi failed. ret is -8017"), "npu_smi", fail_status, admin, "upgraded", "Wait for the upgrade"},
      {"npu_smi_8255", npu_smi_says("query failed. ret is -8255"), "npu_smi", warn, admin, "does not support", "upgrade the driver"},
      {"npu_smi_9005", npu_smi_says("npu get board type failed. ret is -9005"), "npu_smi", warn, admin, "mounts are incomplete", "/usr/local/dcmi"},
      {"npu_smi_library", npu_smi_says("npu-smi: error while loading shared libraries: libc_sec.so: cannot open shared object file: No such file or directory"), "npu_smi", fail_status, user, "driver's libraries", "LD_LIBRARY_PATH"},
      {"npu_smi_no_card", npu_smi_says("There is no NPU card on this server."), "npu_smi", fail_status, admin, "no NPU", "lspci"},
      {"npu_smi_root_only", npu_smi_says("This command can be executed only by the root user."), "npu_smi", warn, admin, "only root", "root"},
      {"npu_smi_unsupported", npu_smi_says("This device does not support querying info."), "npu_smi", warn, user, "does not support", "Nothing to do"},
      {"npu_smi_other_words", npu_smi_says("Segmentation fault (core dumped)"), "npu_smi", unknown_status, user, "no device table that is known", "npu-smi info"},
      {"npu_smi_hangs", section("devices", "info", "", 124), "npu_smi", fail_status, admin, "did not end", "dmesg"},
      {"npu_smi_off_the_path", [](ProbeText& host, Target&) { host.set("devices", "npu_smi_path", "").drop("devices", "info").drop("devices", "map"); }, "npu_smi", warn, user, "not found; there are device nodes", "path_prepend"},
      {"npu_smi_and_npu_missing", [](ProbeText& host, Target&) { host.set("devices", "npu_smi_path", "").drop("devices", "info").drop("devices", "map").drop("devices", "nodes").set("devices", "access", "").set("devices", "pci", ""); }, "npu_smi", fail_status, admin, "no NPU in the PCI list", "Ascend host"},
      {"driver_incomplete_warning", [](ProbeText& host, Target&) { host.set("devices", "info", a2_table({{}, {}}) + "[WARNING]The driver package may not be completely installed, which may cause function abnormal. Please reinstall it.\n", 0); }, "npu_smi", warn, admin, "may not be completely installed", "Reinstall"},
      {"table_cut", [](ProbeText& host, Target&) { auto text = a2_table({{}, {}}); host.set("devices", "info", text.substr(0, text.size() / 2), 0); }, "npu_smi", warn, user, "could not be read whole", "compare"},
      // access
      {"outside_the_group", [](ProbeText& host, Target&) { host.set("devices", "access", "").set("system", "id", "uid=1000(dev) gid=1000(dev) groups=1000(dev)\n", 0); }, "device_access", fail_status, admin, "not in the group HwHiAiUser", "usermod -aG HwHiAiUser dev"},
      {"manager_node_missing", section("devices", "nodes", "660 root root /dev/davinci0\n660 root root /dev/devmm_svm\n660 root root /dev/hisi_hdc\n", 0), "device_access", fail_status, admin, "/dev/davinci_manager", "--device"},
      {"no_nodes_in_container", [](ProbeText& host, Target&) { host.set("system", "container", "docker").drop("devices", "nodes").set("devices", "access", "").import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 0})"); }, "device_access", fail_status, user, "no device nodes", "--device"},
      {"no_nodes_on_host", [](ProbeText& host, Target&) { host.drop("devices", "nodes").set("devices", "access", "").import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 0})"); }, "device_access", fail_status, admin, "no device nodes", "Load the driver"},
      {"mounts_missing", [](ProbeText& host, Target&) { host.set("system", "container", "docker").set("devices", "mounts", "/usr/local/dcmi\n"); }, "container_mounts", warn, user, "/usr/local/dcmi", "-v"},
      // devices
      {"one_alarm", table({{.health = "Alarm"}, {}}), "health", warn, admin, "Alarm; the others can be used", "npu-smi info -t health"},
      {"asked_for_the_alarm", table({{.health = "Alarm"}, {}}), "health", fail_status, admin, "Alarm", "reset", {0}},
      {"all_critical", table({{.health = "Critical"}, {.health = "Critical"}}), "health", fail_status, admin, "Critical", "reset"},
      {"health_unknown", table({{.health = "UNKNOWN"}}), "health", fail_status, admin, "UNKNOWN", "reset"},
      {"health_warning", table({{.health = "Warning"}, {}}), "health", warn, admin, "with care", "npu-smi info -t health"},
      {"all_busy", table({{.used_mb = 60000, .processes = "4711 python 56000"}, {.used_mb = 50000, .processes = "4712 python 46000"}}), "occupancy", fail_status, user, "pid 4711 (python)", "another device"},
      {"busy_by_memory_alone", table({{.used_mb = 60000}, {.used_mb = 60000}}), "occupancy", fail_status, user, "more than an idle device holds", "another device"},
      {"asked_device_busy", table({{.used_mb = 60000, .processes = "4711 python 56000"}, {}}), "occupancy", fail_status, user, "pid 4711", "another device", {0}},
      {"processes_not_listed", table({{.processes = "unseen"}, {.processes = "unseen"}}), "occupancy", unknown_status, user, "lists no processes", "ps"},
      {"unknown_device", [](ProbeText&, Target&) {}, "device_map", fail_status, agent, "no device 7", "precheck lists", {7}},
      {"torch_counts_fewer", [](ProbeText& host, Target&) { host.import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 1})"); }, "device_map", unknown_status, user, "torch counts 1", "whole devices"},
      {"torch_sees_none", [](ProbeText& host, Target&) { host.import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 0})"); }, "device_map", fail_status, user, "no device", "device_access"},
      {"visible_devices_set", [](ProbeText& host, Target& target) { environment("ASCEND_RT_VISIBLE_DEVICES=1")(host, target); host.import(R"({"torch": "2.6.0", "torch_npu": "2.6.0", "device_count": 1})"); }, "visible_devices", warn, user, "is set", "Unset"},
      {"visible_devices_descending", environment("ASCEND_RT_VISIBLE_DEVICES=1,0"), "visible_devices", fail_status, user, "ascending", "Unset"},
      {"visible_devices_host_number", environment("ASCEND_RT_VISIBLE_DEVICES=4"), "visible_devices", fail_status, user, "no id of a device", "Unset"},
      {"visible_devices_range", environment("ASCEND_RT_VISIBLE_DEVICES=0-1"), "visible_devices", warn, user, "ends behind", "Unset"},
      {"leases_of_a_container", [](ProbeText& host, Target&) { host.set("system", "container", "docker"); }, "leases", unknown_status, user, "not seen", "Mount"},
      // driver, firmware, CANN
      {"driver_half_installed", section("software", "file /etc/ascend_install.info", "UserGroup=HwHiAiUser\nDriver_Install_Status=failed\n"), "driver", warn, admin, "failed", "Reinstall"},
      {"driver_upgraded_without_reboot", [](ProbeText& host, Target&) { host.set("devices", "info", a2_table({{}, {}}, "24.1.0"), 0); }, "driver", warn, admin, "the running one is 24.1.0", "reboot"},
      {"driver_version_untold", [](ProbeText& host, Target& target) { npu_smi_says("no words")(host, target); host.drop("software", "file /usr/local/Ascend/driver/version.info"); }, "driver", unknown_status, admin, "not told", "driver's installation"},
      {"firmware_out_of_range", section("software", "file /usr/local/Ascend/firmware/version.info", "Version=6.3.0.1.241\n"), "firmware", warn, admin, "outside", "together"},
      {"firmware_untold", [](ProbeText& host, Target&) { host.set("system", "container", "docker").drop("software", "file /usr/local/Ascend/firmware/version.info"); }, "firmware", unknown_status, admin, "not told", "host"},
      {"driver_too_old_for_cann", section("software", "file /usr/local/Ascend/driver/version.info", "Version=25.2.0\nInnerversion=V100R001C13SPC001B100\ncompatible_version=[V100R001C10]\n"), "driver_cann", warn, admin, "neither", "EE1015"},
      {"cann_missing", [](ProbeText& host, Target&) { host.drop("software", "cann $ASCEND_HOME_PATH").drop("software", "file /usr/local/Ascend/ascend-toolkit/8.2.RC1/aarch64-linux/ascend_toolkit_install.info"); }, "cann", fail_status, user, "not found", "Install CANN"},
      {"cann_dead_link", section("software", "cann $ASCEND_HOME_PATH", "/usr/local/Ascend/ascend-toolkit/latest\n\n"), "cann", fail_status, user, "leads nowhere", "set_env"},
      {"cann_files_disagree", section("software", "file /usr/local/Ascend/ascend-toolkit/8.2.RC1/opp/version.info", "Version=7.6.0.1.220\nversion_dir=8.0.0\n"), "cann", warn, admin, "disagree", "reinstall CANN"},
      {"cann_version_untold", section("software", "file /usr/local/Ascend/ascend-toolkit/8.2.RC1/aarch64-linux/ascend_toolkit_install.info", "nothing\n"), "cann", unknown_status, user, "tells its version", "install.info"},
      {"set_env_missing", section("set_env", "script /usr/local/Ascend/ascend-toolkit/set_env.sh", "not there, or not readable\n"), "set_env", fail_status, user, "could not be sourced", "set_env of the target"},
      {"set_env_not_found", [](ProbeText& host, Target&) { host.drop("set_env", "script /usr/local/Ascend/ascend-toolkit/set_env.sh").set("software", "env", "PATH=/usr/bin\n"); }, "set_env", warn, user, "no set_env.sh", "set_env of the target"},
      {"msprof_missing", section("software", "msprof", ""), "msprof", fail_status, user, "can't export", "toolkit"},
      {"profiler_made_inert", environment("PROFILER_SAMPLECONFIG={}"), "profiler_env", fail_status, user, "does nothing", "Unset"},
      {"profiling_mode_set", environment("PROFILING_MODE=true"), "profiler_env", fail_status, user, "PROFILING_MODE", "Unset"},
      {"daemon_profiler_set", environment("MSMONITOR_USE_DAEMON=1"), "profiler_env", warn, user, "another way of profiling", "Unset"},
      // Python
      {"python_missing", [](ProbeText& host, Target&) { host.set("python", "python_path", "").drop("python", "metadata").drop("python", "import"); }, "python", fail_status, user, "not found", "python"},
      {"python_does_not_run", [](ProbeText& host, Target&) { host.set("python", "metadata", "python3: error while loading shared libraries\n", 127).drop("python", "import"); }, "python", fail_status, user, "does not run", "python"},
      {"python_too_old", packages("2.6.0", "2.6.0", "3.6.8"), "python", fail_status, user, "older", "newer Python"},
      {"python_out_of_torchs_range", packages("2.6.0", "2.6.0", "3.13.1"), "python_pair", warn, user, "3.9 to 3.11", "range"},
      {"torch_missing", [](ProbeText& host, Target&) { host.python(R"({"version": "3.10.12", "packages": {}, "locked": []})"); host.import(R"({"torch": null})", "ModuleNotFoundError: No module named 'torch'"); }, "torch", fail_status, user, "not installed", "python"},
      {"torch_npu_missing", [](ProbeText& host, Target&) { host.python(R"({"version": "3.10.12", "packages": {"torch": "2.6.0"}, "locked": []})"); host.import(R"({"torch": "2.6.0"})", "ModuleNotFoundError: No module named 'torch_npu'"); }, "torch_npu", fail_status, user, "not installed", "install"},
      {"torch_of_another_base", packages("2.5.1", "2.6.0"), "torch_pair", fail_status, user, "does not go with", "Install torch 2.6.0"},
      {"torch_npu_development_build", packages("2.6.0", "2.6.0.dev20250601"), "torch_pair", warn, user, "development build", "released"},
      {"torch_npu_of_another_cann", packages("2.5.1", "2.5.1"), "cann_pair", warn, user, "made for CANN 8.1.RC1", "2.6.0, 2.5.1.post1"},
      {"torch_npu_newer_than_the_table", packages("2.19.0", "2.19.0"), "cann_pair", warn, user, "not in the table", "2.6.0"},
      // import
      {"import_hccl", import_says("ImportError: libhccl.so: cannot open shared object file: No such file or directory. Please check that the cann package is installed. Please run 'source set_env.sh' in the CANN installation path."), "torch_npu_import", fail_status, user, "set_env.sh was not sourced", "set_env"},
      {"import_acl", import_says("ImportError: libascendcl.so: cannot open shared object file: No such file or directory"), "torch_npu_import", fail_status, user, "libascendcl.so", "set_env"},
      {"import_hal", import_says("ImportError: libascend_hal.so: cannot open shared object file: No such file or directory"), "torch_npu_import", fail_status, user, "libascend_hal.so", "driver/lib64"},
      {"import_autoload", import_says("RuntimeError: Failed to load the backend extension: torch_npu. You can disable extension auto-loading with TORCH_DEVICE_BACKEND_AUTOLOAD=0."), "torch_npu_import", fail_status, user, "extension", "inner error"},
      {"import_yaml", import_says("ModuleNotFoundError: No module named 'yaml'\nThe above exception was the direct cause\nRuntimeError: Failed to load the backend extension: torch_npu."), "torch_npu_import", fail_status, user, "pyyaml", "pip install pyyaml"},
      {"import_opp", import_says("RuntimeError: ASCEND_OPP_PATH environment variable is not set."), "torch_npu_import", fail_status, user, "ASCEND_OPP_PATH", "set_env"},
      {"import_home_gone", import_says("ASCEND_HOME_PATH : /opt/gone does not exist"), "torch_npu_import", fail_status, user, "another CANN", "set_env"},
      {"import_source_folder", import_says("ModuleNotFoundError: No module named 'torch_npu._C'"), "torch_npu_import", fail_status, user, "source folder", "another workspace"},
      {"import_cxxabi", import_says("ImportError: libstdc++.so.6: version 'CXXABI_1.3.15' not found"), "torch_npu_import", fail_status, user, "libstdc++", "conda"},
      {"import_busy", import_says("RuntimeError: aclInit, error code is 507899"), "torch_npu_import", fail_status, user, "another container", "holder"},
      {"import_no_hal_devices", import_says("Can't get ascend_hal device count"), "torch_npu_import", fail_status, user, "no device to this container", "dcmi"},
      {"import_start_failed", import_says("error code is 507033 Failed to start the device."), "torch_npu_import", fail_status, admin, "does not start", "health"},
      {"import_getpwuid", import_says("KeyError: 'getpwuid(): uid not found: 1000'"), "torch_npu_import", fail_status, user, "/etc/passwd", "container_user"},
      {"import_other", import_says("SystemError: something nobody has seen"), "torch_npu_import", fail_status, user, "can't be imported", "evidence"},
      {"import_hangs", section("python", "import", "", 124), "torch_npu_import", fail_status, user, "did not end", "slow file system"},
      // place
      {"user_without_name", section("system", "id", "uid=1000 gid=1000 groups=1000,1001(HwHiAiUser)\n", 0), "user", warn, user, "no name", "container_user"},
      {"workspace_missing", [](ProbeText& host, Target&) { host.set("place", "workspace", "").drop("place", "workspace_stat"); }, "workspace", fail_status, user, "does not exist", "Create it"},
      {"workspace_is_a_file", section("place", "workspace", "exists\nwritable\n"), "workspace", fail_status, user, "no directory", "Correct"},
      {"workspace_read_only", section("place", "workspace", "exists\ndirectory\n"), "workspace", fail_status, user, "may not write", "read-only"},
      {"workspace_open_to_all", section("place", "workspace_stat", "777 dev /home/dev/work/\n777 dev /home/dev/work\n755 dev /home/dev\n", 0), "workspace_path", warn, user, "every user", "chmod o-w"},
      {"folder_above_open_to_all", section("place", "workspace_stat", "750 dev /home/dev/work/\n750 dev /home/dev/work\n777 dev /home/dev\n", 0), "workspace_path", warn, user, "above the workspace", "chmod o-w"},
      {"workspace_linked", section("place", "workspace_real", "/data/dev/work"), "workspace_path", warn, user, "link", "real path"},
      {"colon_in_path", section("place", "workspace_real", "/home/dev/run:1"), "workspace_path", fail_status, user, "':'", "letters"},
      {"disk_full", section("place", "disk", "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 1000000 900000 100000 90% /\n", 0), "disk", fail_status, user, "0.0 GiB free", "Free at least"},
      {"disk_short", section("place", "disk", "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 9000000 900000 5242880 90% /\n", 0), "disk", warn, user, "5.0 GiB", "20 times"},
      {"disk_unreadable", section("place", "disk", "df: /home/dev/work: Stale file handle\n", 1), "disk", unknown_status, user, "could not be read", "df"},
      {"no_inodes", section("place", "inodes", "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sda1 9000000 8999990 10 99% /\n", 0), "disk", fail_status, user, "10 more files", "Delete files"},
      {"shared_memory_left", section("place", "shm", "total 4\n-rw-r----- 1 dev dev 4096 Nov 1 10:00 DynamicProfileNpuShm4711\n", 0), "shared_memory", warn, user, "left-over", "delete"},
      {"other_profiler", section("place", "profilers", "/proc/4711/comm:msprof\n"), "other_profiler", warn, user, "4711 msprof", "exclude each other"},
      {"clock_off", [](ProbeText& host, Target&) { host.set("system", "clock", "1000000000.5\n", 0).set("clock", "clock", "1000000000.5\n", 0); }, "clock", warn, admin, "off this machine", "NTP"},
  };
  return list;
}

class ATroubledHost : public testing::TestWithParam<Trouble> {};

TEST_P(ATroubledHost, IsToldWithStatusRemedyAndWho) {
  const auto& trouble = GetParam();
  ProbeText text;
  auto target = a2_target();
  trouble.make(text, target);
  const auto host = host_saying(text);
  const auto report = run_precheck(*host, target, {.device_ids = trouble.device_ids}, {});
  const auto found = std::find_if(report.checks.begin(), report.checks.end(),
                                  [&](const Check& one) { return one.id == trouble.check; });
  ASSERT_NE(found, report.checks.end());
  EXPECT_EQ(found->status, trouble.status) << found->message;
  EXPECT_EQ(found->who, trouble.who) << found->message << " -> " << found->remedy;
  EXPECT_NE(found->message.find(trouble.message), std::string::npos) << found->message;
  EXPECT_NE(found->remedy.find(trouble.remedy), std::string::npos) << found->remedy;
  if (trouble.status == CheckStatus::fail) {
    EXPECT_FALSE(report.ok);
    ASSERT_TRUE(report.error.has_value());
    EXPECT_EQ(report.error->code, "PRECHECK_FAILED");
    EXPECT_FALSE(report.error->remedy.empty());
  }
  EXPECT_EQ(host->commands().size(), 1U) << "one round trip";
}

INSTANTIATE_TEST_SUITE_P(Troubles, ATroubledHost, testing::ValuesIn(troubles()),
                         [](const auto& trouble) { return trouble.param.name; });

TEST(AHealthyHost, PassesEveryCheckThatApplies) {
  ProbeText text;
  const auto host = host_saying(text);
  const auto report = run_precheck(*host, a2_target(), {}, {});
  EXPECT_TRUE(report.ok);
  EXPECT_FALSE(report.simulated);
  EXPECT_FALSE(report.error.has_value());
  for (const auto& check : report.checks) {
    const bool applies = check.id != "clock";  // the text has no clock
    EXPECT_TRUE(check.status == CheckStatus::pass || check.status == CheckStatus::skip || !applies)
        << check.id << ": " << check.message;
  }
  EXPECT_EQ(report.recommended_device_ids, (std::vector<int>{0, 1}));
  EXPECT_EQ(report.versions.cann.value, "8.2.RC1");
  EXPECT_EQ(report.versions.torch_npu_release.value, "7.1.0");
  EXPECT_EQ(report.versions.driver.source, "/usr/local/Ascend/driver/version.info");
  EXPECT_EQ(report.set_env,
            std::vector<std::string>{"/usr/local/Ascend/ascend-toolkit/set_env.sh"});
}

TEST(TroublesOfHosts, AreAtLeastFortyFiveDistinctOnes) {
  std::set<std::pair<std::string, std::string>> distinct;
  for (const auto& trouble : troubles()) distinct.insert({trouble.check, trouble.message});
  EXPECT_GE(distinct.size(), 45U);
}

}  // namespace
}  // namespace npuprof::precheck
