#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What `npu-smi` prints, read by cells and header words, never by column offsets. No parser fails:
// what can't be read whole and sane is left out, and `notes` says what and why, so that a caller
// can answer `unknown` with evidence. Numbers are never guessed from a row that was cut.
namespace npuprof::ascend {

struct DeviceProcess {
  std::int64_t pid = 0;  // the host's, in most containers too
  std::string name;  // cut to 15 characters by the tool; empty in a container without --pid=host
  std::optional<std::int64_t> memory_mb;
  std::optional<std::int64_t> container_pid;  // 26.x
};

// What the process table tells of one chip. `unseen`: no table, or this chip's part is missing.
// `maybe_cut`: 8 rows, which is all that the tool ever shows, or a list that breaks off.
enum class ProcessView { unseen, none, listed, maybe_cut };

std::string_view to_string(ProcessView view);

struct Chip {
  std::int64_t npu_id = 0;
  std::int64_t chip_id = 0;              // within its NPU; 0 where the layout has no such column
  std::optional<std::int64_t> phy_id;    // A3
  std::optional<std::int64_t> logic_id;  // 310 family: the column Device
  std::string name;                      // "910B3", "Ascend910", "310P3"
  std::string health;                    // "OK", "Warning", "Alarm", "Critical", "UNKNOWN", ...
  std::string bus_id;                    // empty where the tool prints NA
  std::optional<double> power_w;         // none: printed as - or NA
  std::optional<double> temperature_c;
  std::optional<int> utilisation_percent;  // AICore(%), or NPU Util(%) on 950
  bool has_hbm = false;                    // memory_* is HBM; else the device's only memory
  std::optional<std::int64_t> memory_used_mb;
  std::optional<std::int64_t> memory_total_mb;
  std::optional<std::int64_t>
      ddr_total_mb;  // Memory-Usage beside HBM; 0 from the second generation on
  ProcessView process_view = ProcessView::unseen;
  std::vector<DeviceProcess> processes;
};

struct InfoTable {
  bool recognised = false;     // a table header was found
  std::string tool_version;    // "npu-smi X"
  std::string driver_version;  // "Version: Y"; may differ from the tool's
  std::vector<Chip> chips;     // in the table's order
  bool has_process_table = false;
  bool complete = false;           // the device table was closed and no row of it was left out
  std::vector<std::string> notes;  // what was left out, and warnings the tool printed
};

// `npu-smi info`
InfoTable parse_info(std::string_view text);

struct MapRow {
  std::int64_t npu_id = 0;
  std::int64_t chip_id = 0;
  std::optional<std::int64_t> logic_id;  // 950 has none
  std::optional<std::int64_t> phy_id;
  std::string name;
};

// `npu-smi info -m`, without its Mcu rows
std::vector<MapRow> parse_map(std::string_view text);

struct CardList {
  std::optional<std::int64_t> total;  // as printed
  struct Card {
    std::int64_t npu_id = 0;
    std::optional<std::int64_t> chip_count;
  };
  std::vector<Card> cards;
};

// `npu-smi info -l`
CardList parse_list(std::string_view text);

// One chip's part of `npu-smi info -t ...`; MCU parts are left out.
struct Block {
  std::optional<std::int64_t> npu_id;
  std::optional<std::int64_t> chip_id;  // none: the command was for one chip and doesn't repeat it
  std::vector<std::pair<std::string, std::string>> fields;  // label and value, as printed
  std::vector<DeviceProcess> processes;                     // -t proc-mem

  // The value of a label (case matters not), or nothing.
  std::optional<std::string> field(std::string_view label) const;
  std::optional<double> number(std::string_view label) const;
};

// `npu-smi info -t usages|memory|health|product|board|temp|power|common|proc-mem`
std::vector<Block> parse_blocks(std::string_view text);

// What a chip is, from its name and memory: "910" (first generation), "A2", "A3", "950", "310P",
// "310B", "310", or "unknown".
std::string generation(const Chip& chip);

// The memory that an idle chip of a generation is known to hold, in MB; below it nothing runs.
std::int64_t idle_memory_mb(std::string_view generation);

}  // namespace npuprof::ascend
