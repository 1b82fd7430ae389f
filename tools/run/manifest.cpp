#include "run/manifest.hpp"

namespace npuprof::run {

Json make_manifest(const Record& record, const std::string& host, const Json& files, Clock& clock) {
  Json listed = Json::array();
  for (auto file : files) {
    file.erase("name");
    listed.push_back(std::move(file));
  }
  Json arguments = record.arguments;
  if (arguments.contains("env")) {
    for (auto& value : arguments["env"]) value = "";
  }
  Json manifest = {
      {"format", 1},
      {"made_at", to_iso8601(clock.system())},
      {"simulated", record.simulated},
      {"source",
       {{"run_id", record.run_id},
        {"target", record.target},
        {"host", host},
        {"directory", record.foreign ? record.remote_dir : record.remote_dir + "/profile_l1"}}},
      {"files", std::move(listed)},
      {"workload", record.workload},
      {"arguments", std::move(arguments)},
      {"devices", record.devices},
      {"versions", record.versions},
      {"window", record.window},
      {"warmup", record.warmup},
      {"verdict", record.verdict},
      {"anomalies", record.anomalies}};
  if (record.artifact.contains("archive_path")) {
    manifest["archive"] = {{"name", "profile_l1.tar.gz"},
                           {"bytes", record.artifact["bytes"]},
                           {"sha256", record.artifact["sha256"]}};
  }
  return manifest;
}

}  // namespace npuprof::run
