#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/target.hpp"
#include "fakes/scratch_directory.hpp"

namespace npuprof::fakes {

// A real OpenSSH server on a free loopback port, with a configuration, host keys, a user key and a
// known_hosts file of its own, in a directory of its own. Ends with the object.
class TestSshd {
 public:
  // A login of the test's own, which only this server knows (needs root: see `missing_account`).
  struct Account {
    std::string name = "npuprof-test";
    std::string shell = "/bin/sh";
    std::string password = {};                           // empty: no login by password
    std::map<std::string, std::string> home_files = {};  // by name below the home directory
  };

  struct Options {
    std::vector<std::string> config = {};  // further lines of sshd_config, before the usual ones
    std::optional<Account> account = {};   // default: the user that runs the test
    std::string listen = "127.0.0.1";
    bool sftp = true;  // the sftp subsystem is there
  };

  // Why there is no sshd on this machine; empty where there is one.
  static std::string missing();
  // The same for a server with an account of its own.
  static std::string missing_account();

  static std::unique_ptr<TestSshd> start() { return start(Options{}); }
  static std::unique_ptr<TestSshd> start(const Options& options);
  ~TestSshd();
  TestSshd(const TestSshd&) = delete;
  TestSshd& operator=(const TestSshd&) = delete;

  // A target that logs in with the user key; workspace is <directory>/workspace, the account's.
  Target target() const;

  std::uint16_t port() const { return port_; }
  const std::filesystem::path& directory() const { return scratch_.path(); }
  std::filesystem::path identity() const { return scratch_ / "user_key"; }
  std::filesystem::path known_hosts() const { return scratch_ / "known_hosts"; }
  std::string host_key() const;  // "ssh-ed25519 AAAA..."
  std::string log() const;

  // The processes of the sessions that are open, children of the server.
  std::vector<pid_t> sessions() const;

  void stop();     // the server and all its sessions are gone on return
  void restart();  // on the same port, after stop()

 private:
  explicit TestSshd(Options options) : options_(std::move(options)) {}
  void make_account() const;
  void run();

  ScratchDirectory scratch_;
  Options options_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

// Runs a program of this machine to its end; what it printed, or an exception where it fails.
std::string run_or_throw(const std::vector<std::string>& argv);

}  // namespace npuprof::fakes
