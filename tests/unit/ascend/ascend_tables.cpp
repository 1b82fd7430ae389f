#include "ascend_tables.hpp"

namespace npuprof::ascend::tables {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

const std::string edge = "+" + std::string(96, '-') + "+\n";
const std::string rule =
    "+===========================+===============+" + std::string(52, '=') + "+\n";

std::string head() {
  return edge + "| npu-smi 24.1.0" + padded("", 19) + padded("Version: 24.1.0", 62) + "|\n" + edge +
         "| NPU   Name                | Health        | Power(W)    Temp(C)           "
         "Hugepages-Usage(page)|\n"
         "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)"
         "        |\n" +
         rule;
}

}  // namespace

std::string a2_with(const std::string& health) {
  return head() + "| 0     910B3               | " + padded(health, 14) +
         "| 90.5        45                0    / 0             |\n"
         "| 0                         | 0000:C1:00.0  | 0           0    / 0          3301 / 65536 "
         "        |\n" +
         rule;
}

std::string eight_processes() {
  std::string text = a2_with("OK");
  text += rule +
          "| NPU     Chip              | Process id    | Process name             | Process "
          "memory(MB)      |\n" +
          rule;
  for (int i = 0; i < 8; ++i) {
    text += "| 0       0                 | " + padded(std::to_string(7000 + i), 14) +
            "|                          | 115                     |\n";
  }
  return text + rule;
}

}  // namespace npuprof::ascend::tables
