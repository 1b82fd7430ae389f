#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "evidence/collection.hpp"
#include "evidence/findings.hpp"

using namespace npuprof::evidence;

// A profile of several files, parted by form feeds: the first byte of each says which file it is.
// It is judged as it stands; nothing a file holds may end the program, and what is no whole trace
// never passes for one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array<const char*, 12> names = {
      "kernel_details.csv", "step_trace_time.csv",       "trace_view.json",      "op_statistic.csv",
      "api_statistic.csv",  "communication.json",        "operator_details.csv", "other.csv",
      "op_summary_1.csv",   "communication_matrix.json", "memory_record.csv",    "x.json"};
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Collection collection("fuzz_ascend_pt");
  for (int count = 0; !rest.empty() && count < 16; ++count) {
    const std::string_view file = rest.substr(0, rest.find('\f'));
    rest.remove_prefix(std::min(rest.size(), file.size() + 1));
    if (file.empty()) continue;
    const auto which = static_cast<unsigned char>(file.front()) % (names.size() + 3);
    const std::string path = which < names.size()
                                 ? std::string("ASCEND_PROFILER_OUTPUT/") + names[which]
                             : which == names.size()     ? "profiler_info_0.json"
                             : which == names.size() + 1 ? "profiler_metadata.json"
                                                         : "logs/profiler.log";
    const auto reader = collection.open(path, file.size());
    reader->feed(file.substr(1));
    reader->finish();
  }
  const Assessment assessment = conclude(collection.take(), {}, true);
  npuprof::Json document = assessment;
  if (document.dump().empty()) std::abort();
  if (assessment.verdict.trust == Trust::trusted) {
    for (const auto& check : assessment.checks) {
      if (check.status == npuprof::CheckStatus::fail) std::abort();
    }
  }
  return 0;
}
