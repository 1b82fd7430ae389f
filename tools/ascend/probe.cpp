#include "ascend/probe.hpp"

#include <array>
#include <random>

#include "ascend/probe_document.hpp"
#include "ascend/table_text.hpp"
#include "core/error_codes.hpp"
#include "core/host_text.hpp"

namespace npuprof::ascend {

std::string_view embedded(std::string_view name);

namespace {

// bash where there is one: CANN's set_env.sh is written for it.
constexpr char bootstrap[] =
    "script=$(cat); shell=sh; command -v bash >/dev/null 2>&1 && shell=bash; "
    "exec $shell -c \"$script\" npuprof \"$@\"";

constexpr std::size_t most_printed = 8 << 20;

using std::chrono::steady_clock;
using std::chrono::system_clock;

std::string nonce() {
  std::random_device device;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", device(), device(), device(),
                device());
  return text.data();
}

std::string lines_word(std::string_view text, std::string_view key) {
  for (const auto& line : lines_of(text)) {
    if (line.text.starts_with(key)) return std::string(trimmed(line.text.substr(key.size())));
  }
  return {};
}

std::string shown(std::string_view text, std::size_t limit = 400) {
  return clean_host_text(text, limit);
}

Outcome outcome(const ProbeDocument& document, const std::string& field, std::string_view name) {
  Outcome found;
  const auto* section = document.find(field, name);
  if (section == nullptr) return found;
  found.ran = true;
  found.status = section->status;
  found.text = section->text;
  found.truncated = !section->status;
  // timeout says 124; 137 and 143 are the signals that it, or the script's own watch, sends.
  found.timed_out = section->status == 124 || section->status == 137 || section->status == 143;
  return found;
}

std::optional<unsigned> octal(std::string_view word) {
  unsigned value = 0;
  if (word.empty() || word.size() > 6) return std::nullopt;
  for (const char c : word) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<unsigned>(c - '0');
  }
  return value;
}

void read_system(const ProbeDocument& document, HostFacts& facts) {
  const auto uname = document.text("system", "uname");
  if (const auto words = words_of(uname); words.size() >= 4) {
    facts.kernel = shown(std::string(words[0]) + " " + std::string(words[2]));
    facts.hostname = shown(words[1]);
    facts.arch = shown(words.back());
  }
  facts.home = document.text("system", "home");
  facts.shell = shown(document.text("system", "shell"));
  facts.umask = octal(document.text("system", "umask"));
  facts.lang = shown(document.text("system", "lang"), 80);
  facts.container = shown(document.text("system", "container"), 40);
  auto os = document.text("system", "file /etc/os-release");
  os = lines_word(os, "PRETTY_NAME=");
  if (os.size() >= 2 && os.front() == '"' && os.back() == '"') os = os.substr(1, os.size() - 2);
  facts.os = shown(os, 120);
  // "uid=1000(dev) gid=1000(dev) groups=1000(dev),998(HwHiAiUser)"
  const auto id = document.text("system", "id");
  for (const auto word : words_of(id)) {
    const auto open = word.find('(');
    if (word.starts_with("uid=")) {
      const auto number = whole_number(word.substr(4, std::min(open, word.size()) - 4));
      if (number) facts.uid = static_cast<int>(*number);
      if (open != std::string_view::npos && word.ends_with(')')) {
        facts.user = shown(word.substr(open + 1, word.size() - open - 2), 80);
      }
    } else if (word.starts_with("gid=") || word.starts_with("groups=")) {
      std::string_view rest = word;
      for (auto at = rest.find('('); at != std::string_view::npos; at = rest.find('(')) {
        rest.remove_prefix(at + 1);
        auto group = shown(rest.substr(0, rest.find(')')), 80);
        if (std::find(facts.groups.begin(), facts.groups.end(), group) == facts.groups.end()) {
          facts.groups.push_back(std::move(group));
        }
      }
    }
  }
}

void read_set_env(const ProbeDocument& document, HostFacts& facts) {
  const auto field = document.fields.find("set_env");
  if (field == document.fields.end()) return;
  facts.set_env_given = !document.text("set_env", "given").empty();
  for (const auto& section : field->second) {
    if (!section.name.starts_with("script ")) continue;
    SetEnvScript script{section.name.substr(7), section.status == 0, {}};
    if (!script.sourced) script.error = shown(trimmed(section.text));
    facts.set_env.push_back(std::move(script));
  }
}

void read_devices(const ProbeDocument& document, HostFacts& facts) {
  facts.npu_smi_path = document.text("devices", "npu_smi_path");
  facts.info = outcome(document, "devices", "info");
  facts.map = outcome(document, "devices", "map");
  facts.list = outcome(document, "devices", "list");
  const auto access = document.text("devices", "access");
  if (const auto* nodes = document.find("devices", "nodes")) {
    for (const auto& line : lines_of(nodes->text)) {
      const auto words = words_of(line.text);
      const auto mode = words.size() == 4 ? octal(words[0]) : std::nullopt;
      if (!line.clean || !mode) continue;
      DeviceNode node;
      node.name = shown(words[3].substr(words[3].rfind('/') + 1), 80);
      node.mode = *mode;
      node.owner = shown(words[1], 80);
      node.group = shown(words[2], 80);
      facts.nodes.push_back(std::move(node));
    }
  }
  for (const auto& line : lines_of(access)) {
    for (auto& node : facts.nodes) node.usable = node.usable || node.name == line.text;
  }
  for (const auto& line : lines_of(document.text("devices", "mounts"))) {
    if (!line.text.empty()) facts.mounts_missing.push_back(line.text);
  }
  for (const auto* name : {"pci", "lspci"}) {
    const auto* section = document.find("devices", name);
    if (section == nullptr) continue;
    facts.pci_seen = true;
    for (const auto& line : lines_of(section->text)) {
      if (line.clean && !trimmed(line.text).empty() && facts.pci.size() < 64) {
        facts.pci.push_back(shown(trimmed(line.text), 120));
      }
    }
  }
}

void read_software(const ProbeDocument& document, HostFacts& facts) {
  facts.root = document.text("software", "root");
  facts.simulated = !facts.root.empty();
  facts.msprof_path = document.text("software", "msprof");
  for (const auto& line : lines_of(document.text("software", "env"))) {
    const auto equals = line.text.find('=');
    if (equals != std::string::npos) {
      facts.env[line.text.substr(0, equals)] = line.text.substr(equals + 1);
    }
  }
  const auto field = document.fields.find("software");
  if (field == document.fields.end()) return;
  for (const auto& section : field->second) {
    if (section.name.starts_with("file ")) {
      const auto path = section.name.substr(5);
      if (facts.cann.empty()) {
        facts.files[path] = section.text;
      } else {
        facts.cann.back().files.emplace_back(path, section.text);
      }
    } else if (section.name.starts_with("cann ")) {
      const auto lines = lines_of(section.text);
      CannCandidate candidate;
      candidate.source = section.name.substr(5);
      if (!lines.empty()) candidate.path = lines[0].text;
      if (lines.size() > 1) candidate.real_path = lines[1].text;
      facts.cann.push_back(std::move(candidate));
    }
  }
}

// The figures of `df -P` for one file system: "Filesystem blocks used available ...".
std::optional<std::pair<std::uint64_t, std::uint64_t>> df_figures(const std::string& text) {
  const auto lines = lines_of(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto words = words_of(line->text);
    if (words.size() < 6) continue;
    const auto total = whole_number(words[1]);
    const auto available = whole_number(words[3]);
    if (total && available) return std::pair<std::uint64_t, std::uint64_t>(*total, *available);
  }
  return std::nullopt;
}

void read_workspace(const ProbeDocument& document, WorkspaceFacts& workspace) {
  for (const auto& line : lines_of(document.text("place", "workspace"))) {
    if (line.text == "exists") workspace.exists = true;
    if (line.text == "directory") workspace.directory = true;
    if (line.text == "writable") workspace.writable = true;
  }
  workspace.real_path = document.text("place", "workspace_real");
  bool first = true;
  for (const auto& line : lines_of(document.text("place", "workspace_stat"))) {
    const auto words = words_of(line.text);
    const auto mode = words.size() >= 3 ? octal(words[0]) : std::nullopt;
    if (!mode) continue;
    const auto path = line.text.substr(words[2].data() - line.text.data());
    if (first) {
      workspace.mode = *mode & 07777U;
      workspace.owner = shown(words[1], 80);
    } else if (path != workspace.real_path && (*mode & 0002U) != 0 && (*mode & 01000U) == 0 &&
               workspace.open_parent.empty()) {
      workspace.open_parent = path;
    }
    first = false;
  }
  if (const auto blocks = df_figures(document.text("place", "disk"))) {
    workspace.total_bytes = blocks->first * 1024;
    workspace.free_bytes = blocks->second * 1024;
  }
  if (const auto inodes = df_figures(document.text("place", "inodes"))) {
    if (inodes->first > 0) workspace.free_inodes = inodes->second;
  }
}

void read_place(const ProbeDocument& document, HostFacts& facts) {
  read_workspace(document, facts.workspace);
  for (const auto& line : lines_of(document.text("place", "shm"))) {
    const auto words = words_of(line.text);
    if (words.size() < 9) continue;
    const auto name = words.back();
    if (name.starts_with("DynamicProfileNpuShm") || name.starts_with("npu_profil") ||
        name.find("msprof") != std::string_view::npos) {
      facts.shared_memory.push_back(shown(std::string(words[2]) + " " + std::string(name), 200));
    }
  }
  for (const auto& line : lines_of(document.text("place", "profilers"))) {
    // "/proc/123/comm:msprof"
    const auto words = std::string_view(line.text);
    const auto colon = words.find(':');
    if (!words.starts_with("/proc/") || colon == std::string_view::npos) continue;
    const auto pid = words.substr(6, words.find('/', 6) - 6);
    facts.profilers.push_back(
        shown(std::string(pid) + " " + std::string(words.substr(colon + 1)), 80));
  }
  facts.lease_dir_exists = document.find("place", "lease_dir") != nullptr;
  facts.lease_dir_mounted = document.find("place", "lease_dir_mounted") != nullptr;
  const auto field = document.fields.find("place");
  if (field == document.fields.end()) return;
  for (const auto& section : field->second) {
    if (!section.name.starts_with("lease ")) continue;
    auto name = section.name.substr(6);
    if (name.ends_with(".lock")) name.resize(name.size() - 5);
    facts.leases.push_back({name, section.text, std::nullopt});
  }
}

// What a Python of the probe found: the JSON of its last NPUPROF_FOUND line. The rest of its words
// are left in `outcome`.
Json python_found(Outcome& outcome) {
  constexpr std::string_view word = "NPUPROF_FOUND ";
  const auto at = outcome.text.rfind(word);
  if (at == std::string::npos) return nullptr;
  const auto end = outcome.text.find('\n', at);
  auto found =
      Json::parse(outcome.text.substr(at + word.size(), end - at - word.size()), nullptr, false);
  outcome.text.resize(at);
  return found.is_object() ? found : Json(nullptr);
}

std::string text_of(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name) || !object[name].is_string()) return {};
  return clean_host_text(object[name].get<std::string>(), 120);
}

void read_python(const ProbeDocument& document, HostFacts& facts) {
  auto& python = facts.python;
  python.path = document.text("python", "python_path");
  python.metadata = outcome(document, "python", "metadata");
  const auto metadata = python_found(python.metadata);
  python.version = text_of(metadata, "version");
  if (metadata.is_object()) {
    if (const auto packages = metadata.find("packages");
        packages != metadata.end() && packages->is_object()) {
      python.packages_known = true;
      for (const auto& [name, version] : packages->items()) {
        if (version.is_string()) {
          python.packages[name] = clean_host_text(version.get<std::string>(), 80);
        }
      }
    }
    if (const auto modules = metadata.find("modules");
        modules != metadata.end() && modules->is_array()) {
      for (const auto& name : *modules) {
        if (name.is_string()) python.modules.push_back(name.get<std::string>());
      }
    }
    if (const auto locked = metadata.find("locked");
        locked != metadata.end() && locked->is_array()) {
      for (auto& lease : facts.leases) {
        lease.locked =
            std::find(locked->begin(), locked->end(), Json(lease.name + ".lock")) != locked->end();
      }
    }
  }
  python.import = outcome(document, "python", "import");
  const auto imported = python_found(python.import);
  python.torch = text_of(imported, "torch");
  python.torch_npu = text_of(imported, "torch_npu");
  python.import_ok = !python.torch_npu.empty();
  if (imported.is_object() && imported.contains("device_count") &&
      imported["device_count"].is_number_integer()) {
    python.device_count = imported["device_count"].get<int>();
  }
}

std::optional<double> clock_of(const ProbeDocument& document, const std::string& field) {
  auto text = document.text(field, "clock");
  text = text.substr(0, text.find('.') == std::string::npos ? text.size() : text.find('.') + 7);
  while (!text.empty() && (text.back() < '0' || text.back() > '9')) text.pop_back();
  return decimal_number(text);
}

double seconds(system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// The host read its clock between our sending and our receiving, so its offset lies between two
// bounds.
void measure_clock(HostFacts& facts, double sent, double received) {
  if (!facts.clock_first || !facts.clock_last) return;
  const double most = *facts.clock_first - sent;
  const double least = *facts.clock_last - received;
  if (least > most) return;
  facts.clock = ClockFacts{(most + least) / 2, (most - least) / 2};
}

Command command_for(const Target& target, const ProbeOptions& options) {
  const auto import_s =
      options.import_torch_npu ? std::max<std::int64_t>(10, options.timeout.count() - 20) : 0;
  Command command;
  command.argv = {"sh",
                  "-c",
                  bootstrap,
                  "npuprof",
                  nonce(),
                  target.workspace,
                  target.lease_dir,
                  target.python,
                  std::to_string(import_s),
                  std::string(embedded("probe_metadata.py")),
                  std::string(embedded("probe_import.py"))};
  command.argv.insert(command.argv.end(), target.set_env.begin(), target.set_env.end());
  command.argv.emplace_back("--");
  command.argv.insert(command.argv.end(), target.path_prepend.begin(), target.path_prepend.end());
  command.timeout = options.timeout;
  return command;
}

}  // namespace

Result<HostFacts> read_probe(std::string_view printed) {
  auto document = parse_probe_document(printed);
  if (!document) return fail(std::move(document.error()));
  HostFacts facts;
  facts.complete = document->complete;
  for (const auto* field :
       {"system", "set_env", "devices", "software", "place", "python", "clock"}) {
    if (document->fields.contains(field)) facts.reached.emplace_back(field);
  }
  // Where it broke off, the last one may lack its end.
  if (!facts.complete && !facts.reached.empty()) facts.reached.pop_back();
  read_system(*document, facts);
  read_set_env(*document, facts);
  read_devices(*document, facts);
  read_software(*document, facts);
  read_place(*document, facts);
  read_python(*document, facts);
  facts.clock_first = clock_of(*document, "system");
  facts.clock_last = clock_of(*document, "clock");
  return facts;
}

Result<HostFacts> probe(Host& host, const Target& target, const std::stop_token& stop,
                        const ProbeOptions& options) {
  std::string printed;
  std::string errors;
  const auto keep = [](std::string& into, std::size_t limit) {
    return [&into, limit](std::string_view bytes) {
      into.append(bytes.substr(0, limit - std::min(limit, into.size())));
    };
  };
  const auto begin = steady_clock::now();
  const auto sent = system_clock::now();
  const auto exit = host.run(command_for(target, options), embedded("probe.sh"),
                             keep(printed, most_printed), keep(errors, 4096), stop);
  const auto received = system_clock::now();
  // A host that hangs half-way (a driver that no signal ends) still told the first part.
  if (!exit && exit.error().code != codes::timed_out) return fail(exit.error());
  auto facts = read_probe(printed);
  if (!facts) {
    if (!exit) return fail(exit.error());
    auto error = facts.error();
    if (!errors.empty()) error.message += "; standard error: " + clean_host_text(errors, 400);
    return fail(std::move(error));
  }
  measure_clock(*facts, seconds(sent), seconds(received));
  facts->elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  return facts;
}

std::string environment_prologue(const std::vector<std::string>& scripts,
                                 const std::vector<std::string>& path_prepend) {
  const auto quoted = [](const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    return out + "'";
  };
  std::string text;
  if (!scripts.empty()) {
    text +=
        "npuprof_source() { npuprof_script=$1; set --; set +eu; . \"$npuprof_script\"; set +eu; "
        "}\n";
    for (const auto& script : scripts) {
      text += "npuprof_source " + quoted(script) + " </dev/null >/dev/null 2>&1\n";
    }
  }
  if (!path_prepend.empty()) {
    text += "PATH=";
    for (const auto& directory : path_prepend) text += quoted(directory) + ":";
    text += "$PATH; export PATH\n";
  }
  return text;
}

std::string lease_key(std::string_view bus_id) {
  std::string key;
  for (const char c : bus_id) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || c == '_';
    key += plain ? c : '_';
  }
  return key;
}

}  // namespace npuprof::ascend
