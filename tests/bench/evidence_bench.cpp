// Makes profiles of any size in the shapes of real ones, and reads them:
//   evidence_bench make trace|kernels FILE MEGABYTES
//   evidence_bench read FILE       one JSON line: bytes, rows, seconds, cpu_seconds, peak_kb
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "evidence/collection.hpp"

using namespace npuprof::evidence;

namespace {

// The mix of a published Level1 trace: 44 % counters, 43 % complete events (a quarter of them
// with a call stack), 12 % flows; 220 bytes an event.
std::string trace_group(std::uint64_t number) {
  const std::string ts = std::to_string(1'736'408'883'000'000 + number * 37) + ".930";
  std::string out;
  const auto add = [&](const std::string& event) { out += (out.empty() ? "" : ", ") + event; };
  add(R"({"ph": "X", "name": "aten::empty", "pid": 3096504, "tid": 3096504, "ts": ")" + ts +
      R"(", "dur": 145.57, "cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0, "Input Dims": ";\r\n;\r\n;\r\n", "Input type": "ScalarList;\r\nScalar;\r\nNone", "Call stack": "/home/user/site-packages/torch/_utils.py(180): _rebuild_tensor;\r\n/home/user/site-packages/torch/multiprocessing/reductions.py(110): rebuild_tensor;\r\n/home/user/python3.9/multiprocessing/queues.py(122): get;\r\n/home/user/site-packages/torch/utils/data/dataloader.py(1132): _try_get_data"}})");
  for (int i = 0; i < 2; ++i) {
    add(R"({"name": "AscendCL@aclCreateTensorDesc", "pid": 3170820320, "tid": 3099702, "ts": ")" +
        ts +
        R"(", "dur": 0.84, "args": {"Thread Id": 3099702, "Mode": "ACL_OP", "level": "acl", "id": "aclCreateTensorDesc", "item_id": "0", "connection_id": )" +
        std::to_string(number) + R"(}, "ph": "X"})");
    add(R"({"name": "MatMulV2", "pid": 3170820512, "tid": 2, "ts": ")" + ts +
        R"(", "dur": 115.187, "args": {"Model Id": 4294967295, "Task Type": "AI_CORE", "Physic Stream Id": 2, "Task Id": 11049, "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": 936}, "ph": "X"})");
  }
  for (int i = 0; i < 5; ++i) {
    add(R"~({"name": "HBM 0/Read", "ts": ")~" + ts +
        R"~(", "pid": 3170820640, "tid": 0, "args": {"Read(MB/s)": 1034.64062}, "ph": "C"})~");
  }
  add(R"~({"ph": "s", "bp": "e", "name": "torch_to_npu", "id": 1736408883840600069, "pid": 3096504, "tid": 3096504, "ts": ")~" +
      ts + R"~(", "cat": "async_npu"})~");
  return out;
}

constexpr char kernel_header[] =
    "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start "
    "Time(us),Duration(us),"
    "Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input "
    "Formats,"
    "Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,"
    "aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),"
    "aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),aic_fixpipe_ratio,"
    "aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,"
    "aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"
    "aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)\r\n";

std::string kernel_row(std::uint64_t number) {
  static constexpr const char* types[] = {"TransData", "Conv2D", "MatMulV2", "Mul", "ReduceSum"};
  const std::string type = types[number % 5];
  return std::to_string(50 + number / 20'000) + ",4294967295," + std::to_string(number % 65'536) +
         ",2,aclnn" + type + "_" + type + "_" + std::to_string(number % 97) + "," + type +
         ",dynamic,AI_VECTOR_CORE," + std::to_string(1'736'408'883'704'643 + number * 61) +
         ".212\t,53.741,0,32,0,NO,\"\"\"32,3,224,224;64,3,11,11;64\"\"\",FLOAT;FLOAT;FLOAT,NCHW;"
         "NCHW;NCHW,"
         "\"\"\"32,1,224,224,8\"\"\",FLOAT,NC1HWC0,N/"
         "A,0.0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,"
         "50.522,2910056,9.406,0.186,4.32,0.086,27.875,0.552,33.687,0.667,0.023,0\r\n";
}

int make(const std::string& kind, const char* path, std::uint64_t megabytes) {
  std::ofstream out(path, std::ios::binary);
  const std::uint64_t wanted = megabytes * 1'000'000;
  const bool trace = kind == "trace";
  std::string text = trace ? "[" : kernel_header;
  std::uint64_t written = 0;
  for (std::uint64_t number = 0; written + text.size() < wanted; ++number) {
    if (trace) {
      if (number > 0) text += ", ";
      text += trace_group(number);
    } else {
      text += kernel_row(number);
    }
    if (text.size() > 4'000'000) {
      out << text;
      written += text.size();
      text.clear();
    }
  }
  if (trace) text += "]";
  out << text;
  return out.good() ? 0 : 1;
}

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int read_file(const char* path) {
  const std::string name(path);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  Collection collection("ASCEND_PROFILER_OUTPUT");
  std::string piece(256 << 10, '\0');
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t bytes = 0;
  {
    const auto reader = collection.open(name.substr(name.rfind('/') + 1), 0);
    for (ssize_t got = 0; (got = ::read(file, piece.data(), piece.size())) > 0;) {
      reader->feed(std::string_view(piece.data(), static_cast<std::size_t>(got)));
      bytes += static_cast<std::uint64_t>(got);
    }
    reader->finish();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  getrusage(RUSAGE_SELF, &after);
  ::close(file);
  const auto profiles = collection.take();
  const auto& source = profiles.at(0).files.at(0);
  std::cout << npuprof::Json{{"bytes", bytes},
                             {"rows", source.entry.rows.value_or(0)},
                             {"seconds", took.count()},
                             {"cpu_seconds", cpu_seconds(after) - cpu_seconds(before)},
                             {"peak_kb", after.ru_maxrss}}
                   .dump()
            << "\n";
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 5 && std::strcmp(arguments[1], "make") == 0) {
    return make(arguments[2], arguments[3], std::stoull(arguments[4]));
  }
  if (count == 3 && std::strcmp(arguments[1], "read") == 0) return read_file(arguments[2]);
  std::cerr << "evidence_bench make trace|kernels FILE MEGABYTES | read FILE\n";
  return 2;
}
