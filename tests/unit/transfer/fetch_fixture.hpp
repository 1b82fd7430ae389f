#pragma once

#include <gtest/gtest.h>

#include <map>

#include "core/sha256.hpp"
#include "host/local_host.hpp"
#include "transfer/fetch.hpp"
#include "unit/transfer/meddling_host.hpp"
#include "unit/transfer/scratch.hpp"

// A "remote" directory and a home on this machine, and a host between them that can be meddled
// with.
class FetchFixture : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    scratch.write("remote/" + name, content);
    files[name] = content;
  }

  // Text that packs about as well as a profile does.
  static std::string noise(std::size_t size, unsigned seed = 1) {
    std::string out;
    out.reserve(size + 1000);
    while (out.size() < size) {
      seed = seed * 1103515245 + 12345;
      out += std::to_string(seed) + "," + std::string(1 + (seed >> 29), 'x') + "\n";
    }
    out.resize(size);
    return out;
  }

  // What a profile looks like, small.
  void put_profile(std::size_t trace_bytes = 3'000'000) {
    put("w_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", noise(trace_bytes));
    put("w_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", noise(100'000, 2));
    put("w_ascend_pt/profiler_info_0.json", "{}");
    for (unsigned i = 0; i < 30; ++i) {
      put("w_ascend_pt/PROF_1_2_A/device_0/data/slice_" + std::to_string(i), noise(9'000, i));
    }
    put("w_ascend_pt/FRAMEWORK/empty", "");
  }

  npuprof::transfer::FetchRequest request() {
    std::filesystem::create_directories(scratch / "home");
    npuprof::transfer::FetchRequest out;
    out.remote_dir = scratch / "remote";
    out.home = scratch / "home";
    out.tuning.settle = std::chrono::milliseconds(20);
    return out;
  }

  npuprof::Result<npuprof::transfer::Artifact> fetch() { return fetch(request()); }
  npuprof::Result<npuprof::transfer::Artifact> fetch(const npuprof::transfer::FetchRequest& request,
                                                     std::stop_token stop = {}) {
    return npuprof::transfer::fetch(
        host, request, [](const npuprof::transfer::TransferProgress&) {}, stop);
  }

  void expect_at_home(const std::string& name) {
    const auto path = scratch / "home/profile_l1" / name;
    EXPECT_TRUE(scratch.read("home/profile_l1/" + name) == files.at(name)) << name;
    EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::all,
              std::filesystem::perms(0444))
        << name;
  }

  void expect_whole(const npuprof::Result<npuprof::transfer::Artifact>& artifact) {
    ASSERT_TRUE(artifact) << artifact.error().message;
    ASSERT_EQ(artifact->files.size(), files.size());
    auto expected = files.begin();
    for (const auto& file : artifact->files) {
      EXPECT_EQ(file.path, expected->first);
      EXPECT_EQ(file.bytes, expected->second.size());
      EXPECT_EQ(file.sha256, npuprof::sha256_hex(expected->second));
      expect_at_home(file.path);
      ++expected;
    }
    expect_nothing_half_written();
  }

  // Whatever happened: only whole files, and no temporary name.
  void expect_nothing_half_written() {
    for (const auto& name : scratch.names("home")) {
      EXPECT_TRUE(name == "profile_l1" || name == "profile_l1.tar.gz" || name == "transfer.jsonl")
          << name;
    }
    if (!std::filesystem::exists(scratch / "home/profile_l1")) return;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(scratch / "home/profile_l1")) {
      if (!entry.is_regular_file()) continue;
      const auto name = entry.path().lexically_relative(scratch / "home/profile_l1").string();
      ASSERT_TRUE(files.contains(name)) << name;
      EXPECT_TRUE(scratch.read("home/profile_l1/" + name) == files.at(name)) << name;
    }
  }

  Scratch scratch;
  npuprof::LocalHost local;
  MeddlingHost host{local};
  std::map<std::string, std::string> files;  // on the host
};
