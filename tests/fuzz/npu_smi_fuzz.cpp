#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ascend/npu_smi.hpp"

using namespace npuprof::ascend;

namespace {

void need(bool holds) {
  if (!holds) std::abort();
}

void look_at(const InfoTable& table) {
  need(table.recognised || table.chips.empty());
  for (const auto& chip : table.chips) {
    need(chip.npu_id >= 0 && chip.chip_id >= 0);
    need(chip.memory_used_mb.has_value() == chip.memory_total_mb.has_value());
    if (chip.memory_used_mb) need(*chip.memory_used_mb <= *chip.memory_total_mb);
    if (chip.utilisation_percent) need(*chip.utilisation_percent <= 100);
    need(chip.process_view != ProcessView::none || chip.processes.empty());
    need(table.has_process_table || chip.process_view == ProcessView::unseen);
    (void)generation(chip);
  }
}

}  // namespace

// Whatever npu-smi prints: no crash, and no number that can't be true.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  look_at(parse_info(text));
  for (const auto& row : parse_map(text)) need(row.npu_id >= 0 && row.chip_id >= 0);
  for (const auto& card : parse_list(text).cards) need(card.npu_id >= 0);
  for (const auto& block : parse_blocks(text)) (void)block.number("Temperature(C)");
  return 0;
}
