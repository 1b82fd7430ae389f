#include "made_profile.hpp"

#include <array>
#include <cmath>

#include "evidence/collection.hpp"

namespace npuprof::evidence {
namespace {

struct Kernel {
  const char* type;
  const char* core;
  double us;
  double variation;  // standard deviation over mean, as measured
};

constexpr std::array<Kernel, 8> kernels = {{{"Mul", "AI_VECTOR_CORE", 471.7, 0.005},
                                            {"Cast", "AI_VECTOR_CORE", 335.7, 0.005},
                                            {"MatMulV2", "AI_CORE", 1781.9, 0.007},
                                            {"ReduceSum", "MIX_AIV", 182.7, 0.013},
                                            {"LpNormReduceV2", "AI_VECTOR_CORE", 183.2, 0.017},
                                            {"LayerNormV3", "AI_VECTOR_CORE", 328.0, 0.055},
                                            {"AsStrided", "AI_CPU", 31.0, 0.057},
                                            {"Add", "AI_VECTOR_CORE", 214.3, 0.084}}};
constexpr double gap_us = 120;

std::string us(std::int64_t ns) {
  std::string fraction = std::to_string(1000 + ns % 1000);
  return std::to_string(ns / 1000) + "." + fraction.substr(1);
}

std::string info_of(const MadeRun& run) {
  return Json{
      {"config",
       {{"common_config",
         {{"activities", {"ProfilerActivity.CPU", "ProfilerActivity.NPU"}},
          {"schedule",
           {{"wait", 0}, {"warmup", 1}, {"active", run.steps}, {"repeat", 1}, {"skip_first", 0}}}}},
        {"experimental_config",
         {{"_profiler_level", "Level1"},
          {"_aic_metrics", "ACL_AICORE_NONE"},
          {"_export_type", {"text"}}}}}},
      {"start_info", Json::object()},
      {"rank_id", -1}}
      .dump();
}

}  // namespace

std::vector<Profile> read_files(const Files& files) {
  Collection collection("run");
  for (const auto& [path, text] : files) {
    const auto reader = collection.open(path, text.size());
    for (std::size_t at = 0; at < text.size(); at += 65'536) {
      reader->feed(std::string_view(text).substr(at, 65'536));
    }
    reader->finish();
  }
  return collection.take();
}

Assessment assess_files(const Files& files, const Expectations& expectations) {
  return conclude(read_files(files), expectations, true);
}

Files make_run(const MadeRun& run) {
  std::mt19937 random(run.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto vary = [&](double mean, double variation) {
    return std::max(mean * 0.2, mean * (1 + variation * normal(random)));
  };

  std::string table =
      "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
      "Block Dim\r\n";
  std::string steps =
      "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,"
      "Bubble,Communication(Not Overlapped and Exclude Receive),Preparing\r\n";
  std::string trace =
      R"([{"name": "process_name", "pid": 100, "tid": 0, "args": {"name": "CANN"}, "ph": "M"}, )"
      R"({"name": "process_name", "pid": 200, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"})";
  std::map<std::string, std::pair<int, double>> types;
  std::int64_t now = 1'736'405'443'000'000'000;
  std::int64_t last_end = now;
  int calls = 0;
  for (int step = 1; step <= run.steps; ++step) {
    const std::int64_t began = now;
    double computing = 0;
    double settled_us = 0;
    for (const Kernel& kernel : kernels) settled_us += kernel.us + gap_us;
    double longer = 0.05 * uniform(random);
    if (step <= run.leaking_steps) longer += (run.leak_factor - 1) / step;
    if (step == run.steps && run.long_last_step) longer += 0.25;
    now += std::llround(settled_us * longer * 1000);  // the host, before it gives the device work
    for (const Kernel& kernel : kernels) {
      now += std::llround(vary(gap_us, kernel.variation * 2) * 1000);
      const std::int64_t duration = std::llround(vary(kernel.us, kernel.variation) * 1000);
      const std::string name = std::string("aclnn") + kernel.type + "_" + kernel.type;
      table += std::to_string(step) + ",0," + name + "," + kernel.type + "," + kernel.core + "," +
               us(now) + "\t," + us(duration) + "," + us(now - last_end) + ",20\r\n";
      trace += R"(, {"name": ")" + name + R"(", "pid": 200, "tid": 2, "ts": ")" + us(now) +
               R"(", "dur": )" + us(duration) + R"(, "ph": "X"})";
      trace += R"(, {"name": "AscendCL@aclnn)" + std::string(kernel.type) +
               R"(GetWorkspaceSize", "pid": 100, "tid": 1, "ts": ")" + us(now - 50'000) +
               R"(", "dur": )" + us(20'000 + static_cast<std::int64_t>(uniform(random) * 40'000)) +
               R"(, "ph": "X"})";
      ++calls;
      auto& [count, total] = types[kernel.type];
      ++count;
      total += static_cast<double>(duration) / 1000;
      computing += static_cast<double>(duration) / 1000;
      now += duration;
      last_end = now;
    }
    const double length = static_cast<double>(now - began) / 1000;
    trace += R"(, {"name": "ProfilerStep#)" + std::to_string(step) +
             R"(", "pid": 300, "tid": 3, "ts": ")" + us(began) + R"(", "dur": )" + us(now - began) +
             R"(, "cat": "cpu_op", "ph": "X"})";
    steps += "0," + std::to_string(step) + "," + std::to_string(computing) + ",0,0,0," +
             std::to_string(length - computing) + "," + std::to_string(length) + ",0,0,0\r\n";
  }
  double all = 0;
  for (const auto& [type, sums] : types) all += sums.second;
  std::string statistic =
      "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
      "Ratio(%)\n";
  for (const auto& [type, sums] : types) {
    statistic += "0," + type + ",AI_CORE," + std::to_string(sums.first) + "," +
                 std::to_string(sums.second) + ",1,1,1," + std::to_string(sums.second / all * 100) +
                 "\n";
  }
  const std::string folder = "made_1_20260101000000000_ascend_pt/";
  const std::string output = folder + "ASCEND_PROFILER_OUTPUT/";
  return {{folder + "profiler_info.json", info_of(run)},
          {output + "kernel_details.csv", table},
          {output + "step_trace_time.csv", steps},
          {output + "trace_view.json", trace + "]"},
          {output + "op_statistic.csv", statistic},
          {output + "api_statistic.csv",
           "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"
           "host,acl,aclnnMulGetWorkspaceSize,100," +
               std::to_string(calls) + ",1,1,60,1\n"}};
}

}  // namespace npuprof::evidence
