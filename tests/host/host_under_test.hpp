#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace npuprof {

struct HostKind {
  std::string name;
  bool is_root = false;       // the login user may touch everything
  bool tells_signals = true;  // Exit::signal is known
};
inline void PrintTo(const HostKind& kind, std::ostream* out) {
  *out << kind.name;
}

// A host with a directory of the test's own on it; cleaned up by its end.
struct HostUnderTest {
  virtual ~HostUnderTest() = default;

  // Where `path` of the host is on this machine.
  virtual std::filesystem::path here(const std::string& path) const { return path; }

  std::unique_ptr<Host> host;
  std::string directory;       // on the host, empty
  std::string full_directory;  // on the host, on a file system of 1 MiB; empty where there is none
  std::string token;           // the test's own, for names of processes
  std::string missing;         // why the host can't be had on this machine; empty where it can
};

std::vector<HostKind> host_kinds();
std::unique_ptr<HostUnderTest> make_host(const HostKind& kind);

// Processes of this machine (no zombies) that have `text` in their command line.
int count_processes(const std::string& text);

}  // namespace npuprof
