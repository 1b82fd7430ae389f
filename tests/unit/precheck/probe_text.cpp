#include "probe_text.hpp"

#include <openssl/evp.h>

namespace npuprof::precheck {
namespace {

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

const std::string rule =
    "+===========================+===============+" + std::string(52, '=') + "+\n";

}  // namespace

std::string a2_table(const std::vector<TableDevice>& devices, const std::string& driver) {
  std::string text =
      "+" + std::string(96, '-') + "+\n| npu-smi " + padded(driver, 25) +
      "Version: " + padded(driver, 53) + "|\n+" + std::string(96, '-') +
      "+\n| NPU   Name                | Health        | Power(W)    Temp(C)           "
      "Hugepages-Usage(page)|\n| Chip                      | Bus-Id        | "
      "AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n" +
      rule;
  std::string processes;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto npu = std::to_string(i);
    const auto& device = devices[i];
    text += "| " + padded(npu, 6) + padded("910B3", 20) + "| " + padded(device.health, 14) +
            "| 90.5        45                0    / 0             |\n";
    text += "| 0                         | 0000:C" + padded(npu + ":00.0", 8) + "| " +
            padded(std::to_string(device.percent), 12) + "0    / 0          " +
            padded(std::to_string(device.used_mb), 5) + "/ 65536         |\n" + rule;
    if (device.processes == "none") {
      processes += "| " + padded("No running processes found in NPU " + npu, 95) + "|\n" + rule;
    } else if (device.processes != "unseen") {
      const auto first = device.processes.find(' ');
      const auto second = device.processes.find(' ', first + 1);
      processes += "| " + padded(npu + "       0", 26) + "| " +
                   padded(device.processes.substr(0, first), 14) + "| " +
                   padded(device.processes.substr(first + 1, second - first - 1), 25) + "| " +
                   padded(device.processes.substr(second + 1), 24) + "|\n" + rule;
    }
  }
  if (processes.empty()) return text;
  return text + rule +
         "| NPU     Chip              | Process id    | Process name             | Process "
         "memory(MB)      |\n" +
         rule + processes;
}

ProbeText::ProbeText() {
  set("system", "clock", "", 0).drop("system", "clock");
  set("system", "uname", "Linux npu-01 5.10.0-216 aarch64\n", 0);
  set("system", "id", "uid=1000(dev) gid=1000(dev) groups=1000(dev),1001(HwHiAiUser)\n", 0);
  set("system", "home", "/home/dev").set("system", "shell", "/bin/bash");
  set("system", "umask", "0027").set("system", "lang", "C.UTF-8");
  set("system", "file /etc/os-release", "PRETTY_NAME=\"openEuler 22.03\"\n");
  set("set_env", "given", "");
  set("set_env", "script /usr/local/Ascend/ascend-toolkit/set_env.sh", "", 0);
  set("devices", "npu_smi_path", "/usr/local/bin/npu-smi");
  set("devices", "info", a2_table({{}, {}}), 0);
  set("devices", "map",
      "\tNPU ID                         Chip ID                        Chip Logic ID               "
      "   Chip Name\n"
      "\t0                              0                              0                           "
      "   Ascend 910B3\n"
      "\t1                              0                              1                           "
      "   Ascend 910B3\n",
      0);
  set("devices", "list", "\tTotal Count : 2\n", 0);
  set("devices", "access", "davinci0\ndavinci1\ndavinci_manager\ndevmm_svm\nhisi_hdc\n");
  set("devices", "mounts", "");
  set("devices", "nodes",
      "660 HwHiAiUser HwHiAiUser /dev/davinci0\n660 HwHiAiUser HwHiAiUser /dev/davinci1\n"
      "660 HwHiAiUser HwHiAiUser /dev/davinci_manager\n660 HwHiAiUser HwHiAiUser /dev/devmm_svm\n"
      "660 HwHiAiUser HwHiAiUser /dev/hisi_hdc\n",
      0);
  set("devices", "pci", "0000:c0:00.0 0xd802\n0000:c1:00.0 0xd802\n");
  set("software", "root", "");
  set("software", "env", "ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/latest\n");
  set("software", "file /etc/ascend_install.info",
      "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\nDriver_Install_Status=complete\n");
  set("software", "file /usr/local/Ascend/driver/version.info",
      "Version=25.2.0\nInnerversion=V100R001C22SPC001B100\ncompatible_version=[V100R001C19],["
      "V100R001C20],[V100R001C22]\ncompatible_version_fw=[7.0.0,7.8.99]\npackage_version=25.2.0\n");
  set("software", "file /usr/local/Ascend/firmware/version.info", "Version=7.7.0.6.236\n");
  set("software", "cann $ASCEND_HOME_PATH",
      "/usr/local/Ascend/ascend-toolkit/latest\n/usr/local/Ascend/ascend-toolkit/8.2.RC1\n");
  set("software",
      "file /usr/local/Ascend/ascend-toolkit/8.2.RC1/aarch64-linux/ascend_toolkit_install.info",
      "package_name=Ascend-cann-toolkit\nversion=8.2.RC1\ninnerversion=V100R001C22SPC001B231\n"
      "compatible_version=[V100R001C15],[V100R001C22]\n");
  set("software", "msprof", "/usr/local/Ascend/ascend-toolkit/latest/bin/msprof");
  set("place", "workspace", "exists\ndirectory\nwritable\n");
  set("place", "workspace_real", "/home/dev/work");
  set("place", "workspace_stat",
      "750 dev /home/dev/work/\n750 dev /home/dev/work\n750 dev /home/dev\n755 root /home\n", 0);
  set("place", "disk",
      "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 1000000000 1 500000000 "
      "1% /\n",
      0);
  set("place", "inodes",
      "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sda1 9000000 1 8999999 1% /\n", 0);
  set("place", "shm", "total 0\n", 0);
  set("place", "profilers", "");
  set("python", "python_path", "/usr/bin/python3");
  python(R"({"version": "3.10.12", "packages": {"torch": "2.6.0+cpu", "torch_npu": "2.6.0"},)"
         R"( "locked": []})");
  import(R"({"torch": "2.6.0+cpu", "torch_npu": "2.6.0", "device_count": 2})");
}

ProbeText& ProbeText::set(const std::string& field, const std::string& name, std::string text,
                          int status) {
  auto at = std::find_if(fields_.begin(), fields_.end(),
                         [&](const auto& one) { return one.first == field; });
  if (at == fields_.end()) at = fields_.insert(fields_.end(), {field, {}});
  for (auto& part : at->second) {
    if (part.name == name) {
      part.text = std::move(text);
      part.status = status;
      return *this;
    }
  }
  at->second.push_back({name, std::move(text), status});
  return *this;
}

ProbeText& ProbeText::drop(const std::string& field, const std::string& name) {
  for (auto& [key, parts] : fields_) {
    if (key == field) std::erase_if(parts, [&](const Part& part) { return part.name == name; });
  }
  return *this;
}

ProbeText& ProbeText::drop_field(const std::string& field) {
  std::erase_if(fields_, [&](const auto& one) { return one.first == field; });
  return *this;
}

ProbeText& ProbeText::python(const std::string& metadata_json) {
  return set("python", "metadata", "\nNPUPROF_FOUND " + metadata_json + "\n", 0);
}

ProbeText& ProbeText::import(const std::string& import_json, const std::string& words) {
  return set("python", "import", words + "\nNPUPROF_FOUND " + import_json + "\n", 0);
}

std::string ProbeText::printed() const {
  std::string out = "Welcome!\n{\"npuprof_probe\":1";
  for (const auto& [field, parts] : fields_) {
    std::string text;
    for (const auto& part : parts) {
      text += "\nmark " + part.name + "\n" + part.text;
      if (part.status != no_status) text += "\nmark = " + std::to_string(part.status);
    }
    out += ",\n\"" + field + "\":\"" + base64(text) + "\"";
  }
  return out + ",\n\"end\":1}\n";
}

std::unique_ptr<fakes::FakeHost> host_saying(const ProbeText& text) {
  auto host = std::make_unique<fakes::FakeHost>();
  host->on("npuprof", text.printed());
  return host;
}

}  // namespace npuprof::precheck
