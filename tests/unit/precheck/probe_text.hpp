#pragma once

#include <map>
#include <string>
#include <vector>

#include "fakes/fake_host.hpp"

namespace npuprof::precheck {

// What probe.sh prints of a made-up host, one section at a time. Starts as an A2 host with two idle
// devices where everything is right.
class ProbeText {
 public:
  ProbeText();

  // Replaces a section (or adds it at the field's end); a status of -1: its output was cut.
  ProbeText& set(const std::string& field, const std::string& name, std::string text,
                 int status = no_status);
  ProbeText& drop(const std::string& field, const std::string& name);
  ProbeText& drop_field(const std::string& field);
  ProbeText& python(const std::string& metadata_json);
  ProbeText& import(const std::string& import_json, const std::string& words = {});

  std::string printed() const;

  static constexpr int no_status = -1;

 private:
  struct Part {
    std::string name, text;
    int status;
  };
  std::vector<std::pair<std::string, std::vector<Part>>> fields_;
};

// A host that answers the probe with `text`.
std::unique_ptr<fakes::FakeHost> host_saying(const ProbeText& text);

// npu-smi tables of two A2 devices with made-up values.
struct TableDevice {
  std::string health = "OK";
  int used_mb = 3301;
  int percent = 0;
  std::string processes = "none";  // "none", "unseen", or "pid name mb"
};
std::string a2_table(const std::vector<TableDevice>& devices, const std::string& driver = "25.2.0");

}  // namespace npuprof::precheck
