#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "ascend/versions.hpp"
#include "config/target.hpp"
#include "host/host.hpp"

namespace npuprof::ascend {

// What one command of the probe said. Text is raw: clean it before it is shown.
struct Outcome {
  bool ran = false;           // false: the program was not found, or not asked for
  std::optional<int> status;  // none: unknown, since its output was cut
  std::string text;           // both streams
  bool timed_out = false;
  bool truncated = false;
};

struct DeviceNode {
  std::string name;  // "davinci0", "davinci_manager", "devmm_svm", "hisi_hdc"
  unsigned mode = 0;
  std::string owner, group;
  bool usable = false;  // this user may read and write it
};

struct SetEnvScript {
  std::string path;
  bool sourced = false;
  std::string error;  // its words, where it could not be sourced
};

struct CannCandidate {
  std::string source;  // "$ASCEND_HOME_PATH", "/usr/local/Ascend/cann", ...
  std::string path;
  std::string real_path;                                   // empty: a dead link
  std::vector<std::pair<std::string, std::string>> files;  // path, text; empty where seen before
};

struct WorkspaceFacts {
  bool exists = false, directory = false, writable = false;
  std::string real_path;
  unsigned mode = 0;
  std::string owner;
  std::optional<std::uint64_t> free_bytes, total_bytes, free_inodes;
  std::string open_parent;  // the first folder above it that others may write; empty: none
};

struct LeaseFile {
  std::string name;            // the bus id made a file name
  std::string holder;          // its content, raw
  std::optional<bool> locked;  // whether somebody holds it; none: could not be tried
};

struct ClockFacts {
  double offset_s = 0;       // the host's clock minus this machine's
  double uncertainty_s = 0;  // half of the interval that the offset lies in
};

struct PythonFacts {
  Outcome metadata, import;
  std::string path, version;
  std::map<std::string, std::string> packages;  // name -> version, by metadata
  std::vector<std::string> modules;  // torch and torch_npu, where they can be found at all
  bool packages_known = false;       // the metadata could be read
  bool import_ok = false;
  std::string torch, torch_npu;  // as imported
  std::optional<int> device_count;
};

// What a host is, as one probe found it. Raw outputs are kept for the checks to read.
struct HostFacts {
  bool simulated = false;
  std::string root;  // of the simulated host; empty on a real one
  std::string hostname, kernel, arch, os, user, home, shell;
  std::string lang;
  std::optional<unsigned> umask;
  int uid = -1;
  std::vector<std::string> groups;
  std::string container;    // "docker", "podman", "container", or empty: none seen
  Outcome info, map, list;  // npu-smi
  std::string npu_smi_path;
  std::vector<DeviceNode> nodes;
  std::vector<std::string> mounts_missing;  // of what npu-smi and torch_npu need in a container
  std::vector<std::string> pci;             // "c1:00.0 d802"
  std::optional<bool> pci_seen;             // none: PCI could not be looked at
  std::map<std::string, std::string>
      files;                          // path on the host -> text, of version and install files
  bool set_env_given = false;         // by the configuration; else found on the host
  std::vector<SetEnvScript> set_env;  // in the order they were sourced
  std::vector<CannCandidate> cann;
  std::map<std::string, std::string> env;  // ASCEND_*, PROFIL*, RANK and the like; after set_env
  PythonFacts python;
  std::string msprof_path;
  WorkspaceFacts workspace;
  std::vector<std::string> shared_memory;  // left-overs of profilers: "owner name"
  std::vector<std::string> profilers;      // "pid name"
  bool lease_dir_exists = false;
  bool lease_dir_mounted = false;  // it is a mount of its own, as a container's should be
  std::vector<LeaseFile> leases;
  std::optional<double> clock_first, clock_last;  // seconds since the epoch, by the host
  std::optional<ClockFacts> clock;
  bool complete = false;  // the probe ran to its end; else the facts are those of its first part
  std::vector<std::string> reached;  // the fields of probe.sh that came whole, in their order
  std::chrono::milliseconds elapsed{0};
};

struct ProbeOptions {
  bool import_torch_npu = true;  // takes seconds on a real host
  std::chrono::seconds timeout{120};
};

// Looks at a host with one script, sent over the standard input of one command; nothing is
// installed or left on the host. Fails where the command could not be started or its answer is no
// probe's; whatever is wrong on the host itself is a fact, not a failure.
Result<HostFacts> probe(Host& host, const Target& target, const std::stop_token& stop,
                        const ProbeOptions& options = {});

// The parsing half of probe: the facts in what the script printed.
Result<HostFacts> read_probe(std::string_view printed);

// Shell text (POSIX; for bash where the host has it) that puts an environment in place as the probe
// did: sources `scripts` with +u, then puts `path_prepend` in front of PATH.
std::string environment_prologue(const std::vector<std::string>& scripts,
                                 const std::vector<std::string>& path_prepend);

// A bus id made a file name, as leases are keyed: "0000:C1:00.0" -> "0000_C1_00.0".
std::string lease_key(std::string_view bus_id);

}  // namespace npuprof::ascend
