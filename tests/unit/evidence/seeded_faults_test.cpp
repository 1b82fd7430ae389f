#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "made_profile.hpp"
#include "real_samples.hpp"

namespace npuprof::evidence {
namespace {

const char* const level0 = "msinsight-text-level0-rank0_ascend_pt";
const char* const level1 = "msinsight-text-level1-rank0_ascend_pt";

Files load(const std::string& sample) {
  Files files;
  const auto root = real_samples() / sample;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[sample + "/" + entry.path().lexically_relative(root).generic_string()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

// The sample with one file changed; the others are read only once.
class Patient {
 public:
  explicit Patient(const std::string& sample)
      : sample_(sample), files_(load(sample)), whole_(read_files(files_)) {}

  std::string path_of(const std::string& name) const {
    return sample_ + "/ASCEND_PROFILER_OUTPUT/" + name;
  }
  const std::string& text(const std::string& name) const { return files_.at(path_of(name)); }

  Assessment with(const std::string& name, const std::string& text) const {
    std::vector<Profile> changed = whole_;
    Profile part = std::move(read_files({{path_of(name), text}}).at(0));
    Profile& profile = changed.at(0);
    for (SourceFile& file : profile.files) {
      if (file.entry.path == path_of(name)) file = part.files.at(0);
    }
    const auto replace = [&](auto Profile::*facts) {
      if (part.*facts) profile.*facts = std::move(part.*facts);
    };
    replace(&Profile::kernels);
    replace(&Profile::steps);
    replace(&Profile::trace);
    replace(&Profile::api);
    replace(&Profile::ops);
    replace(&Profile::communication);
    replace(&Profile::communication_matrix);
    return conclude(changed, {}, true);
  }

  std::multiset<std::string> codes(const Assessment& assessment) const {
    std::multiset<std::string> found;
    for (const Anomaly& anomaly : assessment.anomalies) found.insert(anomaly.code);
    return found;
  }
  std::multiset<std::string> healthy() const { return codes(conclude(whole_, {}, true)); }

 private:
  std::string sample_;
  Files files_;
  std::vector<Profile> whole_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

void expect_every_cut_found(const std::string& sample, const std::vector<std::string>& names) {
  const Patient patient(sample);
  const auto healthy = patient.healthy();
  for (const auto& name : names) {
    const std::string& text = patient.text(name);
    for (std::size_t percent = 0; percent < 100; ++percent) {
      const auto codes =
          patient.codes(patient.with(name, text.substr(0, text.size() * percent / 100)));
      EXPECT_NE(codes, healthy) << name << " cut at " << percent << " %";
    }
  }
}

TEST(SeededFaults, ACutAtAnyPercentOfALevel1FileIsFound) {
  NEEDS_REAL_SAMPLES();
  expect_every_cut_found(level1, {"kernel_details.csv", "step_trace_time.csv", "trace_view.json",
                                  "api_statistic.csv", "op_statistic.csv", "operator_details.csv",
                                  "communication.json", "communication_matrix.json"});
}

TEST(SeededFaults, ACutAtAnyPercentOfALevel0FileIsFound) {
  NEEDS_REAL_SAMPLES();
  expect_every_cut_found(level0, {"kernel_details.csv", "step_trace_time.csv", "trace_view.json"});
}

TEST(SeededFaults, EveryDroppedRowIsFoundAtLevel1) {
  NEEDS_REAL_SAMPLES();
  const Patient patient(level1);
  const auto healthy = patient.healthy();
  for (const std::string name : {"kernel_details.csv", "step_trace_time.csv", "op_statistic.csv"}) {
    const auto lines = lines_of(patient.text(name));
    for (std::size_t row = 1; row < lines.size(); ++row) {
      auto fewer = lines;
      fewer.erase(fewer.begin() + static_cast<long>(row));
      EXPECT_NE(patient.codes(patient.with(name, joined(fewer))), healthy)
          << name << " row " << row;
    }
  }
}

TEST(SeededFaults, DroppedRowsThatTakeATenThousandthOfTheTimeAreFoundAtLevel0) {
  NEEDS_REAL_SAMPLES();
  const Patient patient(level0);
  const auto healthy = patient.healthy();
  const auto lines = lines_of(patient.text("kernel_details.csv"));
  for (std::size_t row = 1; row + 1 < lines.size(); ++row) {
    auto fewer = lines;
    fewer.erase(fewer.begin() + static_cast<long>(row), fewer.begin() + static_cast<long>(row) + 2);
    EXPECT_NE(patient.codes(patient.with("kernel_details.csv", joined(fewer))), healthy)
        << "rows from " << row;
  }
}

TEST(SeededFaults, ARenamedColumnIsFound) {
  NEEDS_REAL_SAMPLES();
  for (const char* sample : {level0, level1}) {
    const Patient patient(sample);
    for (const std::string column : {"Name", "Type", "Accelerator Core", "Start Time(us)",
                                     "Duration(us)", "Wait Time(us)", "Block Dim"}) {
      std::string text = patient.text("kernel_details.csv");
      text.replace(text.find("," + column + (column == "Block Dim" ? "" : ",")) + 1, column.size(),
                   "renamed");
      EXPECT_TRUE(
          patient.codes(patient.with("kernel_details.csv", text)).contains("COLUMNS_MISSING"))
          << column;
    }
  }
}

TEST(SeededFaults, ShuffledColumnsAreReadByNameAndSaid) {
  NEEDS_REAL_SAMPLES();
  const Patient patient(level0);  // no cell of it holds a comma
  std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5, 6, 7};
  std::mt19937 random(1);
  const Json healthy =
      patient.with("kernel_details.csv", patient.text("kernel_details.csv")).summary;
  for (int round = 0; round < 20; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    if (std::is_sorted(order.begin(), order.end())) continue;
    std::string both;
    std::string header_alone;
    for (const std::string& line : lines_of(patient.text("kernel_details.csv"))) {
      std::vector<std::string> cells;
      std::istringstream in(line.substr(0, line.size() - 2));
      for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
      std::string shuffled;
      for (const std::size_t place : order)
        shuffled += (shuffled.empty() ? "" : ",") + cells[place];
      both += shuffled + "\r\n";
      header_alone += header_alone.empty() ? shuffled + "\r\n" : line;
    }
    const Assessment right = patient.with("kernel_details.csv", both);
    EXPECT_TRUE(patient.codes(right).contains("COLUMNS_REORDERED"));
    EXPECT_EQ(right.summary, healthy);
    EXPECT_NE(patient.codes(patient.with("kernel_details.csv", header_alone)), patient.healthy());
  }
}

}  // namespace
}  // namespace npuprof::evidence
