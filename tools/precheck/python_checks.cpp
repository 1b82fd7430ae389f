#include <algorithm>

#include "ascend/failure_texts.hpp"
#include "ascend/table_text.hpp"
#include "precheck/checks.hpp"

namespace npuprof::precheck {
namespace {

constexpr char oldest_python[] = "3.8";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool less(std::string_view a, std::string_view b) {
  const auto order = ascend::compare_versions(a, b);
  return order && *order < 0;
}

Check python(const Findings& f) {
  const auto& python = f.facts.python;
  if (python.path.empty()) {
    return failed("python", f.target.python + " is not found on the target", nullptr,
                  "Name the Python that has torch_npu in `python` of the target.");
  }
  if (python.version.empty()) {
    return failed("python", f.target.python + " does not run",
                  {{"text", evidence_text(python.metadata.text)}},
                  "Name the Python that has torch_npu in `python` of the target.");
  }
  const Json evidence = {{"path", evidence_text(python.path, 200)}};
  if (less(python.version, oldest_python)) {
    return failed("python", "Python " + python.version + " is older than npuprof needs (3.8)",
                  evidence, "Name a newer Python in `python` of the target.");
  }
  return passed("python", python.version, evidence);
}

Check installed(const Findings& f, const std::string& id, const ascend::FoundVersion& version) {
  if (!version.value.empty()) return passed(id, version.value, {{"source", version.source}});
  if (!f.facts.python.packages_known) return unknown(id, "the Python's packages can't be listed");
  const auto& modules = f.facts.python.modules;
  if (std::find(modules.begin(), modules.end(), id) != modules.end()) {
    return unknown(id, id + " is there, but not installed as a package: its version is not told",
                   nullptr, "A full precheck imports it and asks.", Who::agent);
  }
  return failed(id, id + " is not installed in " + f.target.python, nullptr,
                "Name the Python that has it in `python` of the target, or install it.");
}

Check torch_pair(const Findings& f) {
  const auto& torch = f.versions.torch.value;
  const auto& torch_npu = f.versions.torch_npu.value;
  if (torch.empty() || torch_npu.empty())
    return skipped("torch_pair", "one of the two is not known");
  const Json evidence = {{"torch", torch}, {"torch_npu", torch_npu}};
  const auto base = ascend::base_version(torch_npu);
  if (base.empty() || ascend::base_version(torch) != base) {
    return failed("torch_pair", "torch " + torch + " does not go with torch_npu " + torch_npu,
                  evidence,
                  "Install torch " + base + ", or the torch_npu of torch " +
                      ascend::base_version(torch) + ".");
  }
  if (ascend::is_prerelease(torch_npu)) {
    return warned("torch_pair", "torch_npu " + torch_npu + " is a development build", evidence,
                  "Use a released one where results must be comparable.");
  }
  return passed("torch_pair", "torch and torch_npu are both " + base);
}

Check cann_pair(const Findings& f) {
  const auto& torch_npu = f.versions.torch_npu.value;
  const auto& cann = f.versions.cann.value;
  if (torch_npu.empty() || cann.empty()) return skipped("cann_pair", "one of the two is not known");
  const auto& source = ascend::pair_table_source();
  Json evidence = {
      {"torch_npu", torch_npu}, {"cann", cann}, {"table", source.source + ", " + source.date}};
  const auto fitting = joined(ascend::torch_npu_for_cann(cann));
  const auto pair = ascend::find_pair(torch_npu);
  if (pair && ascend::compare_versions(pair->cann, cann) == std::strong_ordering::equal) {
    return passed("cann_pair", "torch_npu " + torch_npu + " goes with CANN " + cann, evidence);
  }
  const auto remedy = fitting.empty()
                          ? std::string("Compare with the table of torch_npu's project.")
                          : "With CANN " + cann + " go torch_npu " + fitting + ".";
  if (pair) {
    return warned(
        "cann_pair",
        "torch_npu " + torch_npu + " is made for CANN " + pair->cann + ", here is " + cann,
        evidence, remedy);
  }
  return warned("cann_pair", "torch_npu " + torch_npu + " is not in the table of pairs", evidence,
                remedy);
}

Check python_pair(const Findings& f) {
  const auto& python = f.versions.python.value;
  const auto range = ascend::python_for_torch(f.versions.torch.value);
  if (python.empty() || !range) return skipped("python_pair", "nothing to compare with");
  const auto minor = python.substr(0, python.rfind('.'));
  if (less(minor, range->from) || less(range->to, minor)) {
    return warned("python_pair",
                  "torch " + range->torch + " is made for Python " + range->from + " to " +
                      range->to + ", here is " + python,
                  nullptr, "Use a Python of that range.");
  }
  return passed("python_pair", "Python " + minor + " is in the range of torch " + range->torch);
}

Check torch_npu_import(const Findings& f) {
  const auto& python = f.facts.python;
  if (!python.import.ran) {
    return f.options.level == Level::quick
               ? skipped("torch_npu_import", "not tried in a quick precheck")
               : skipped("torch_npu_import", "there is no Python to try it with");
  }
  if (python.import_ok) {
    const auto by_metadata = f.versions.torch_npu.value;
    if (!by_metadata.empty() &&
        ascend::base_version(by_metadata) != ascend::base_version(python.torch_npu)) {
      return warned("torch_npu_import",
                    "imported is torch_npu " + python.torch_npu + ", installed " + by_metadata,
                    nullptr, "Another copy is first on PYTHONPATH: remove one.");
    }
    const auto known = ascend::known_failures("python", python.import.text);
    if (!known.empty() && python.device_count.value_or(0) == 0) {
      return failed("torch_npu_import", "imported, but " + known[0].message,
                    {{"text", ascend::telling_line("python", python.import.text)}}, known[0].remedy,
                    known[0].who);
    }
    if (!python.device_count) {
      return failed("torch_npu_import", "imported, but the devices can't be counted",
                    {{"text", evidence_text(python.import.text, 800)}},
                    "Check the driver and the device nodes (checks npu_smi and device_access).");
    }
    return passed("torch_npu_import", "torch_npu " + python.torch_npu + " is imported");
  }
  if (python.import.timed_out) {
    return failed("torch_npu_import", "the import of torch_npu did not end in time",
                  {{"text", evidence_text(python.import.text, 400)}},
                  "Try `" + f.target.python +
                      " -c 'import torch_npu'` on the target: a slow file "
                      "system or a hanging driver are the usual causes.");
  }
  const auto known = ascend::known_failures("python", python.import.text);
  const Json evidence = {{"text", evidence_text(python.import.text, 800)}};
  if (known.empty()) {
    return failed("torch_npu_import", "torch_npu can't be imported", evidence,
                  "See the text in the evidence; run `" + f.target.python +
                      " -c 'import torch_npu'` on the target.");
  }
  return failed("torch_npu_import", known[0].message, evidence, known[0].remedy, known[0].who);
}

Check hazards(const Findings& f) {
  Json evidence = Json::array();
  std::size_t open = 0;
  bool serious = false;
  for (const auto& found : ascend::hazards_for(f.versions)) {
    if (found.hazard.handled || !found.certain || found.hazard.severity == Severity::info) continue;
    ++open;
    serious = serious || found.hazard.severity == Severity::error;
    if (evidence.size() < 8) {
      evidence.push_back({{"id", found.hazard.id},
                          {"when", found.hazard.applies_to},
                          {"title", found.hazard.title},
                          {"workaround", found.hazard.workaround}});
    }
  }
  if (open == 0) return passed("hazards", "none is known that npuprof does not avoid by itself");
  const auto message =
      std::to_string(open) + " known hazard(s) of these versions, each only for runs of its kind";
  if (!serious) return passed("hazards", message, std::move(evidence));
  return warned("hazards", message, std::move(evidence),
                "Read each workaround; npuprof takes those that it can.", Who::agent);
}

}  // namespace

std::vector<Check> python_checks(const Findings& findings) {
  return {python(findings),
          installed(findings, "torch", findings.versions.torch),
          installed(findings, "torch_npu", findings.versions.torch_npu),
          torch_pair(findings),
          cann_pair(findings),
          python_pair(findings),
          torch_npu_import(findings),
          hazards(findings)};
}

}  // namespace npuprof::precheck
