#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/target.hpp"
#include "core/error.hpp"

namespace npuprof {

struct HttpSettings {
  std::string listen = "127.0.0.1:8765";
  std::filesystem::path token_file;        // absolute
  std::vector<std::string> allowed_hosts;  // beyond localhost
  std::vector<std::string> allowed_origins;
};

struct TransferSettings {
  std::string codec = "auto";            // auto | zstd | gzip | none
  double limit_mbps = 0;                 // megabits a second; 0: no limit
  std::uint64_t max_artifact_bytes = 0;  // 0: no cap but the free disk
};

struct Config {
  std::filesystem::path file;  // where it was read from; empty: no file, nothing configured
  std::string default_target;  // empty: the only target, or none
  std::map<std::string, Target> targets;
  std::filesystem::path data_dir;                   // absolute
  std::vector<std::filesystem::path> output_roots;  // absolute; where fetch_artifact may also write
  HttpSettings http;
  TransferSettings transfer;
};

// Where the configuration is: `named` (--config) if given, else $NPUPROF_CONFIG, else
// $XDG_CONFIG_HOME/npuprof/config.toml.
std::filesystem::path config_path(const std::optional<std::filesystem::path>& named);

// Reads and checks a configuration. A file that is not there is CONFIG_INVALID only where it was
// named; the default place may be empty. Every error comes with its line. ~ is the user's home.
Result<Config> load_config(const std::filesystem::path& file, bool must_exist);
Result<Config> parse_config(std::string_view toml, const std::filesystem::path& file);

// The target of a call: the named one, else default_target, else the only one. TARGET_UNKNOWN and
// TARGET_AMBIGUOUS list the names there are.
Result<const Target*> find_target(const Config& config, const std::string& name);

}  // namespace npuprof
