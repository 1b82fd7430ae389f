#include "evidence/profiler_info.hpp"

#include <algorithm>
#include <cctype>

#include "core/host_text.hpp"
#include "core/json.hpp"
#include "evidence/decimal.hpp"
#include "evidence/json_text.hpp"

namespace npuprof::evidence {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const Json& member(const Json& object, const char* name) {
  static const Json none = nullptr;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? clean_host_text(value.get_ref<const std::string&>(), 200) : "";
}

std::optional<std::int64_t> integer_of(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return integer(value.get_ref<const std::string&>());
  return {};
}

std::optional<ProfilerSchedule> schedule_of(const Json& value, bool& old_keys) {
  if (!value.is_object() || value.empty()) return {};
  ProfilerSchedule schedule;
  bool any = false;
  const auto take = [&](const char* name, int& out) {
    auto found = integer_of(member(value, name));
    if (!found) {
      found = integer_of(member(value, (std::string("_") + name).c_str()));
      old_keys |= found.has_value();
    }
    if (!found || *found < 0 || *found > 1'000'000'000) return;
    out = static_cast<int>(*found);
    any = true;
  };
  take("wait", schedule.wait);
  take("warmup", schedule.warmup);
  take("active", schedule.active);
  take("repeat", schedule.repeat);
  take("skip_first", schedule.skip_first);
  take("skip_first_wait", schedule.skip_first_wait);
  if (!any) return {};
  return schedule;
}

std::string level_of(const std::string& text) {
  const std::string name = lower(text);
  if (name.ends_with("level0")) return "l0";
  if (name.ends_with("level1")) return "l1";
  if (name.ends_with("level2")) return "l2";
  if (name.ends_with("level_none") || name.ends_with("levelnone")) return "none";
  return "";
}

void add_texts(const Json& value, std::vector<std::string>& out) {
  if (value.is_string()) out.push_back(lower(text_of(value)));
  if (!value.is_array()) return;
  for (const auto& item : value) {
    if (item.is_string() && out.size() < 16) out.push_back(lower(text_of(item)));
  }
}

}  // namespace

bool ProfilerInfo::has_activity(std::string_view name) const {
  return std::any_of(activities.begin(), activities.end(),
                     [&](const std::string& activity) { return activity == name; });
}

bool ProfilerInfo::exports_text() const {
  return export_types.empty() ||
         std::find(export_types.begin(), export_types.end(), "text") != export_types.end();
}

bool ProfilerInfo::exports_db() const {
  return std::find(export_types.begin(), export_types.end(), "db") != export_types.end();
}

ProfilerInfo read_profiler_info(std::string_view text) {
  ProfilerInfo info;
  const std::string_view bare = without_bom(text);
  const Json root = Json::parse(bare.begin(), bare.end(), nullptr, false);
  if (!root.is_object()) {
    info.problem = root.is_discarded() ? "it is not JSON" : "it is not a JSON object";
    return info;
  }
  const Json& config = member(root, "config");
  if (!config.is_object()) {
    info.problem = "it has no \"config\"";
    return info;
  }
  info.readable = true;
  const Json& common = member(config, "common_config");
  const Json& experimental = member(config, "experimental_config");
  info.schedule = schedule_of(member(common, "schedule"), info.old_keys);
  info.old_keys |= !root.contains("start_info");
  std::vector<std::string> activities;
  add_texts(member(common, "activities"), activities);
  for (const auto& activity : activities) {
    info.activities.push_back(activity.substr(activity.rfind('.') + 1));
  }
  info.level = level_of(text_of(member(experimental, "_profiler_level")));
  info.aic_metrics = text_of(member(experimental, "_aic_metrics"));
  add_texts(member(experimental, "_export_type"), info.export_types);
  for (auto& type : info.export_types) type = type.substr(type.rfind('.') + 1);
  info.profile_memory = member(common, "profile_memory") == true;
  if (const auto rank = integer_of(member(root, "rank_id"));
      rank && *rank >= 0 && *rank < 1 << 30) {
    info.rank = static_cast<int>(*rank);
  }
  info.end_ns = integer_of(member(member(root, "end_info"), "collectionTimeEnd"));
  info.torch_npu_version = text_of(member(root, "torch_npu_version"));
  info.cann_version = text_of(member(root, "cann_version"));
  return info;
}

}  // namespace npuprof::evidence
