#include "config/config.hpp"

#include <cstdlib>

#include "config/home_directory.hpp"
#include "config/toml_document.hpp"
#include "core/atomic_file.hpp"
#include "core/error_codes.hpp"

namespace npuprof {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t file_limit = 1 << 20;

Error invalid(std::string message, std::string remedy) {
  return {.code = codes::config_invalid,
          .message = std::move(message),
          .remedy = std::move(remedy),
          .who = Who::user};
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// An XDG directory: a relative one is to be ignored, as its specification says.
fs::path xdg_directory(const char* name, const char* below_home) {
  const fs::path named = variable(name);
  return named.is_absolute() ? named : home_directory() / below_home;
}

// Reads the values of one checked table; what can't be said in the schema is reported with its
// line.
class Reader {
 public:
  explicit Reader(TomlDocument& document) : document_(document) {}

  template <typename T>
  void get(const Json& table, const char* key, T& value) const {
    if (table.contains(key)) value = table.at(key).get<T>();
  }

  void get_seconds(const Json& table, const char* key, std::chrono::milliseconds& value) const {
    if (!table.contains(key)) return;
    value =
        std::chrono::milliseconds(static_cast<std::int64_t>(table.at(key).get<double>() * 1000));
  }

  // A path of this machine.
  void get_path(const Json& table, const std::string& at, const char* key, fs::path& value) {
    if (!table.contains(key) || table.at(key).get<std::string>().empty()) return;
    value = local_path(table.at(key).get<std::string>(), at + "." + key);
  }

  fs::path local_path(const std::string& text, const std::string& at) {
    const fs::path path = expand_home(text);
    if (!path.is_absolute()) {
      report(at, "\"" + text + "\" must be absolute or begin with ~/");
    }
    return path.lexically_normal();
  }

  void report(const std::string& at, const std::string& message) { document_.report(at, message); }

 private:
  TomlDocument& document_;
};

bool is_target_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
             std::string::npos;
}

// Keys that mean nothing without another one, or beside another kind.
void check_fit(Reader& reader, const Json& table, const std::string& at, const Target& target) {
  const auto is_out_of_place = [&](const char* key, const std::string& why) {
    if (table.contains(key)) reader.report(at + "." + key, why);
  };
  if (target.kind == TargetKind::local) {
    for (const char* const key :
         {"host", "user", "port", "identity_file", "certificate_file", "passphrase_command",
          "identity_agent", "password_env", "password_command", "known_hosts", "ssh_config",
          "connect_timeout_s", "keepalive_s"}) {
      is_out_of_place(key, "belongs to kind = \"ssh\", and this target is local");
    }
  } else if (target.host.empty()) {
    reader.report(at, "host is missing (or is kind = \"local\" meant?)");
  } else if (target.host.starts_with('-')) {
    reader.report(at + ".host", "a host can't begin with -");
  }
  if (target.container.empty()) {
    for (const char* const key : {"container_engine", "container_sudo", "container_user"}) {
      is_out_of_place(key, "means nothing without container");
    }
  } else if (target.container.starts_with('-')) {
    reader.report(at + ".container", "a container can't begin with -");
  }
  if (target.identity_file.empty()) {
    for (const char* const key : {"certificate_file", "passphrase_command"}) {
      is_out_of_place(key, "means nothing without identity_file");
    }
  }
  if (table.contains("password_env")) {
    is_out_of_place("password_command", "password_env and password_command can't both be given");
  }
}

Target read_target(Reader& reader, const std::string& name, const Json& table) {
  const std::string at = "targets." + name;
  Target target;
  target.name = name;
  if (!is_target_name(name)) {
    reader.report(at, "a target's name is of letters, digits, - and _, at most 64 of them");
  }
  if (table.value("kind", "ssh") == "local") target.kind = TargetKind::local;
  if (table.value("container_engine", "docker") == "podman") {
    target.container_engine = ContainerEngine::podman;
  }
  reader.get(table, "host", target.host);
  reader.get(table, "user", target.user);
  reader.get(table, "port", target.port);
  reader.get_path(table, at, "identity_file", target.identity_file);
  reader.get_path(table, at, "certificate_file", target.certificate_file);
  reader.get(table, "passphrase_command", target.passphrase_command);
  fs::path agent;
  reader.get_path(table, at, "identity_agent", agent);
  target.identity_agent = agent.string();
  reader.get(table, "password_env", target.password_env);
  reader.get(table, "password_command", target.password_command);
  reader.get_path(table, at, "known_hosts", target.known_hosts);
  reader.get_path(table, at, "ssh_config", target.ssh_config);
  reader.get_seconds(table, "connect_timeout_s", target.connect_timeout);
  reader.get_seconds(table, "keepalive_s", target.keepalive);
  reader.get(table, "container", target.container);
  reader.get(table, "container_sudo", target.container_sudo);
  reader.get(table, "container_user", target.container_user);
  reader.get(table, "workspace", target.workspace);
  reader.get(table, "set_env", target.set_env);
  reader.get(table, "path_prepend", target.path_prepend);
  reader.get(table, "python", target.python);
  reader.get(table, "lease_dir", target.lease_dir);
  reader.get(table, "allow_env", target.allow_env);
  check_fit(reader, table, at, target);

  // Of paths on the target only those of this very machine can begin with ~.
  const bool is_here = target.kind == TargetKind::local && target.container.empty();
  const auto settle = [&](std::string& path, const std::string& key) {
    if (is_here) path = expand_home(path).string();
    if (!path.starts_with('/')) {
      reader.report(at + "." + key, "\"" + path + "\" must be absolute on the target");
    }
  };
  settle(target.workspace, "workspace");
  settle(target.lease_dir, "lease_dir");
  for (std::size_t i = 0; i < target.set_env.size(); ++i) {
    settle(target.set_env[i], "set_env[" + std::to_string(i) + "]");
  }
  for (std::size_t i = 0; i < target.path_prepend.size(); ++i) {
    settle(target.path_prepend[i], "path_prepend[" + std::to_string(i) + "]");
  }
  if (is_here && target.python.starts_with('~'))
    target.python = expand_home(target.python).string();
  return target;
}

Config defaults() {
  Config config;
  config.data_dir = xdg_directory("XDG_DATA_HOME", ".local/share") / "npuprof";
  config.http.token_file = config.data_dir / "http_token";
  return config;
}

std::string names_of(const Config& config) {
  std::string names;
  for (const auto& [name, target] : config.targets) names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::string where(const Config& config) {
  return config.file.empty() ? "npuprof's configuration" : config.file.string();
}

}  // namespace

fs::path config_path(const std::optional<fs::path>& named) {
  if (named) return *named;
  if (const auto path = variable("NPUPROF_CONFIG"); !path.empty()) return path;
  return xdg_directory("XDG_CONFIG_HOME", ".config") / "npuprof/config.toml";
}

Result<Config> load_config(const fs::path& file, bool must_exist) {
  auto text = read_local_file(file, file_limit);
  if (!text) {
    if (text.error().code == codes::not_found && !must_exist) return defaults();
    return fail(
        invalid("The configuration " + file.string() + " can't be read: " + text.error().message,
                "Name the right file with --config or NPUPROF_CONFIG."));
  }
  return parse_config(*text, file);
}

Result<Config> parse_config(std::string_view toml, const fs::path& file) {
  auto document = TomlDocument::parse(toml, file.string());
  if (!document) return fail(std::move(document.error()));
  document->check_against("config");

  Config config = defaults();
  config.file = file;
  if (document->has_errors()) return fail(document->error());
  Reader reader(*document);
  const Json root = document->json();
  reader.get(root, "default_target", config.default_target);
  const Json targets = root.value("targets", Json::object());
  for (const auto& [name, table] : targets.items()) {
    config.targets.emplace(name, read_target(reader, name, table));
  }
  const Json server = root.value("server", Json::object());
  reader.get_path(server, "server", "data_dir", config.data_dir);
  config.http.token_file = config.data_dir / "http_token";
  if (server.contains("output_roots")) {
    for (std::size_t i = 0; i < server["output_roots"].size(); ++i) {
      config.output_roots.push_back(
          reader.local_path(server["output_roots"][i].get<std::string>(),
                            "server.output_roots[" + std::to_string(i) + "]"));
    }
  }
  const Json http = server.value("http", Json::object());
  reader.get(http, "listen", config.http.listen);
  reader.get_path(http, "server.http", "token_file", config.http.token_file);
  reader.get(http, "allowed_hosts", config.http.allowed_hosts);
  reader.get(http, "allowed_origins", config.http.allowed_origins);
  const Json transfer = root.value("transfer", Json::object());
  reader.get(transfer, "codec", config.transfer.codec);
  reader.get(transfer, "limit_mbps", config.transfer.limit_mbps);
  reader.get(transfer, "max_artifact_bytes", config.transfer.max_artifact_bytes);

  if (!config.default_target.empty() && !config.targets.contains(config.default_target)) {
    document->report("default_target", "there is no target " + config.default_target +
                                           " (there are: " + names_of(config) + ")");
  }
  if (document->has_errors()) return fail(document->error());
  return config;
}

Result<const Target*> find_target(const Config& config, const std::string& name) {
  if (config.targets.empty()) {
    return fail(
        {.code = codes::target_unknown,
         .message = "No target is configured in " + where(config) + "; nothing was run.",
         .remedy = "Add a [targets.NAME] table to " +
                   (config.file.empty() ? config_path(std::nullopt) : config.file).string() +
                   " (docs/configuration.md shows how).",
         .who = Who::user});
  }
  const std::string& wanted = name.empty() ? config.default_target : name;
  if (wanted.empty()) {
    if (config.targets.size() == 1) return &config.targets.begin()->second;
    return fail(
        {.code = codes::target_ambiguous,
         .message = "There are several targets and the call names none; nothing was run. "
                    "The targets: " +
                    names_of(config) + ".",
         .remedy = "Name one of them as target, or set default_target in " + where(config) + ".",
         .who = Who::agent});
  }
  const auto found = config.targets.find(wanted);
  if (found == config.targets.end()) {
    return fail({.code = codes::target_unknown,
                 .message = "There is no target \"" + wanted +
                            "\"; nothing was run. The targets: " + names_of(config) + ".",
                 .remedy = "Name one of them.",
                 .who = Who::agent});
  }
  return &found->second;
}

}  // namespace npuprof
