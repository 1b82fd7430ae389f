#include "evidence/collection.hpp"

#include <algorithm>

#include "evidence/json_text.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t head_bytes = 512;
constexpr std::size_t small_json = std::size_t{4} << 20;
constexpr std::size_t large_json = std::size_t{16} << 20;

}  // namespace

// Facts of exports that msprof made at different times are kept apart until it is known which is
// the newest.
struct Collection::Gathered {
  Profile profile;
  std::vector<std::unique_ptr<SourceFile>> files;
  std::map<std::string, KernelFacts> kernels;
  std::map<std::string, StepFacts> steps;
  std::map<std::string, TraceFacts> traces;
  std::map<std::string, ApiFacts> apis;
  std::map<std::string, OpFacts> ops;
};

namespace {

// The table is chosen by the header where the name does not say what it is.
class TableFile : public FileReader, private CsvSink {
 public:
  using Choose = std::function<std::unique_ptr<CsvSink>(const Columns&)>;
  TableFile(SourceFile& file, Choose choose)
      : file_(file), choose_(std::move(choose)), reader_(*this) {}

  void feed(std::string_view piece) override { reader_.feed(piece); }
  void finish() override {
    reader_.finish();
    file_.table = reader_.facts();
    file_.entry.rows = reader_.facts().rows;
  }

 private:
  void header(const CsvRow& row) override {
    table_ = choose_(Columns(row));
    if (table_) table_->header(row);
  }
  void row(const CsvRow& row) override {
    if (table_) table_->row(row);
  }

  SourceFile& file_;
  Choose choose_;
  std::unique_ptr<CsvSink> table_;
  CsvReader reader_;
};

class TraceFile : public FileReader {
 public:
  TraceFile(SourceFile& file, TraceFacts& facts)
      : file_(file), collector_(facts), reader_(collector_) {}

  void feed(std::string_view piece) override { reader_.feed(piece); }
  void finish() override {
    reader_.finish();
    file_.trace = reader_.facts();
    file_.entry.rows = reader_.facts().events;
  }

 private:
  SourceFile& file_;
  TraceCollector collector_;
  TraceReader reader_;
};

class JsonFile : public FileReader {
 public:
  JsonFile(SourceFile& file, std::size_t limit, std::function<void(std::string_view)> done)
      : file_(file), text_(limit), done_(std::move(done)) {}

  void feed(std::string_view piece) override { text_.feed(piece); }
  void finish() override {
    if (text_.too_large()) {
      file_.problem = "it is larger than what is read of such a file";
    } else {
      done_(text_.text());
    }
  }

 private:
  SourceFile& file_;
  JsonText text_;
  std::function<void(std::string_view)> done_;
};

// Looks at the first bytes, and keeps what is no text from the reader made for its name.
class SniffedFile : public FileReader {
 public:
  using Make = std::function<std::unique_ptr<FileReader>(std::string_view head)>;
  SniffedFile(SourceFile& file, Make make) : file_(file), make_(std::move(make)) {}

  void feed(std::string_view piece) override {
    bytes_ += piece.size();
    if (started_) {
      if (reader_) reader_->feed(piece);
      return;
    }
    head_.append(piece);
    if (head_.size() >= head_bytes) start();
  }

  void finish() override {
    if (!started_) start();
    if (reader_) reader_->finish();
    file_.entry.bytes = bytes_;
    file_.read = true;
  }

 private:
  void start() {
    started_ = true;
    file_.content = content_of(std::string_view(head_).substr(0, head_bytes));
    if (file_.content == Content::git_lfs_pointer) {
      file_.pointer = read_pointer(std::string_view(head_).substr(0, head_bytes));
    }
    if (file_.content == Content::text || file_.content == Content::empty) reader_ = make_(head_);
    if (reader_) reader_->feed(head_);
    head_.clear();
    head_.shrink_to_fit();
  }

  SourceFile& file_;
  Make make_;
  std::string head_;
  std::unique_ptr<FileReader> reader_;
  std::uint64_t bytes_ = 0;
  bool started_ = false;
};

bool looks_like_trace(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (at == std::string_view::npos) return false;
  if (head.find("\"traceEvents\"") != std::string_view::npos) return true;
  return head[at] == '[' && head.find("\"ph\"") != std::string_view::npos;
}

std::optional<int> world_size_of(std::string_view text) {
  const Json root = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!root.is_object()) return {};
  const auto args = root.find("distributed_args");
  if (args == root.end() || !args->is_object()) return {};
  const auto size = args->find("world_size");
  if (size == args->end() || !size->is_number_integer()) return {};
  const auto value = size->get<std::int64_t>();
  if (value < 1 || value > 1 << 24) return {};
  return static_cast<int>(value);
}

template <typename Facts>
void take_newest(std::map<std::string, Facts>& exports, std::optional<Facts>& out) {
  if (!exports.empty()) out = std::move(exports.rbegin()->second);
}

}  // namespace

Collection::Collection(std::string root_name) : root_name_(std::move(root_name)) {}
Collection::~Collection() = default;
Collection::Collection(Collection&&) noexcept = default;
Collection& Collection::operator=(Collection&&) noexcept = default;

Collection::Gathered& Collection::gathered(const Place& place) {
  auto& slot = profiles_[place.profile];
  if (!slot) {
    slot = std::make_unique<Gathered>();
    slot->profile.path = place.profile;
  }
  if (place.layout != Layout::loose) slot->profile.layout = place.layout;
  if (place.in_output) slot->profile.has_output_folder = true;
  if (place.raw) slot->profile.has_raw_data = true;
  return *slot;
}

void Collection::add_folder(const std::string& path) {
  Place place = place_of(path + "/.", root_name_);
  if (place.layout == Layout::loose) return;
  Gathered& into = gathered(place);
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  if (name.starts_with("device_")) into.profile.has_device_data = true;
}

std::unique_ptr<FileReader> Collection::open(const std::string& path, std::uint64_t bytes,
                                             std::optional<std::int64_t> modified_ns) {
  const Place place = place_of(path, root_name_);
  Gathered& into = gathered(place);
  if (path.find("/device_") != std::string::npos) into.profile.has_device_data = true;
  into.files.push_back(std::make_unique<SourceFile>());
  SourceFile& file = *into.files.back();
  file.place = place;
  file.entry = {.name = path.substr(path.rfind('/') + 1), .path = path, .bytes = bytes, .rows = {}};
  file.modified_ns = modified_ns;
  const std::string stamp(place.layout == Layout::msprof ? export_stamp(file.entry.name) : "");

  const auto table = [&into, &file, stamp](FileKind kind) {
    return std::make_unique<TableFile>(
        file, [&into, &file, kind, stamp](const Columns& columns) -> std::unique_ptr<CsvSink> {
          if (file.place.raw) return nullptr;
          FileKind chosen = kind;
          if (chosen == FileKind::other_table) {
            if (KernelTable::recognises(columns)) chosen = FileKind::kernel_details;
            if (StepTable::recognises(columns)) chosen = FileKind::step_trace;
            if (ApiTable::recognises(columns)) chosen = FileKind::api_statistic;
            if (OpTable::recognises(columns)) chosen = FileKind::op_statistic;
            // A folder of one's own may hold anything; a profile's files have their names.
            if (file.place.layout != Layout::loose) chosen = kind;
            file.place.kind = chosen;
          }
          switch (chosen) {
            case FileKind::kernel_details:
            case FileKind::op_summary:
              return std::make_unique<KernelTable>(into.kernels[stamp]);
            case FileKind::step_trace:
              return std::make_unique<StepTable>(into.steps[stamp]);
            case FileKind::api_statistic:
              return std::make_unique<ApiTable>(into.apis[stamp]);
            case FileKind::op_statistic:
              return std::make_unique<OpTable>(into.ops[stamp]);
            default:
              return nullptr;
          }
        });
  };

  return std::make_unique<SniffedFile>(
      file, [&into, &file, stamp, table](std::string_view head) -> std::unique_ptr<FileReader> {
        Profile& profile = into.profile;
        switch (file.place.kind) {
          case FileKind::kernel_details:
          case FileKind::op_summary:
          case FileKind::step_trace:
          case FileKind::operator_details:
          case FileKind::api_statistic:
          case FileKind::op_statistic:
          case FileKind::other_table:
            return table(file.place.kind);
          case FileKind::trace:
            if (file.place.raw) return nullptr;
            return std::make_unique<TraceFile>(file, into.traces[stamp]);
          case FileKind::communication:
          case FileKind::communication_matrix: {
            const bool matrix = file.place.kind == FileKind::communication_matrix;
            auto& out = matrix ? profile.communication_matrix : profile.communication;
            return std::make_unique<JsonFile>(file, large_json, [&](std::string_view text) {
              out = read_communication(text);
              if (out->whole) file.entry.rows = out->operations;
              file.problem = out->problem;
            });
          }
          case FileKind::profiler_info:
            return std::make_unique<JsonFile>(file, small_json, [&](std::string_view text) {
              profile.info = read_profiler_info(text);
              file.problem = profile.info->problem;
            });
          case FileKind::profiler_metadata:
            return std::make_unique<JsonFile>(file, small_json, [&](std::string_view text) {
              const Json metadata = Json::parse(text.begin(), text.end(), nullptr, false);
              if (metadata.is_discarded()) file.problem = "it is not JSON";
              profile.simulated = metadata.is_object() && metadata.contains("simulated_host");
              profile.world_size = world_size_of(text);
            });
          case FileKind::log:
            return std::make_unique<LogReader>(profile.logs);
          case FileKind::other:
            if (file.place.layout == Layout::loose && file.entry.name.ends_with(".json") &&
                looks_like_trace(head)) {
              file.place.kind = FileKind::trace;
              return std::make_unique<TraceFile>(file, into.traces[stamp]);
            }
            return nullptr;
          default:
            return nullptr;
        }
      });
}

void Collection::add_database(const std::string& path, const std::filesystem::path& on_disk) {
  const Place place = place_of(path, root_name_);
  Gathered& into = gathered(place);
  // analysis.db holds only what was worked out from the other.
  if (place.raw || (into.profile.database && path.ends_with("analysis.db"))) return;
  DatabaseFacts facts = read_database(on_disk);
  for (auto& file : into.files) {
    if (file->entry.path != path) continue;
    file->problem = facts.problem;
    std::uint64_t rows = 0;
    for (const auto& [table, count] : facts.tables) rows += count;
    if (facts.readable) file->entry.rows = rows;
  }
  into.profile.database = std::move(facts);
}

std::vector<Profile> Collection::take() {
  std::vector<Profile> profiles;
  for (auto& [path, gathered] : profiles_) {
    Profile& profile = gathered->profile;
    for (auto& file : gathered->files) profile.files.push_back(std::move(*file));
    std::sort(profile.files.begin(), profile.files.end(),
              [](const auto& a, const auto& b) { return a.entry.path < b.entry.path; });
    take_newest(gathered->kernels, profile.kernels);
    take_newest(gathered->steps, profile.steps);
    take_newest(gathered->traces, profile.trace);
    take_newest(gathered->apis, profile.api);
    take_newest(gathered->ops, profile.ops);
    profiles.push_back(std::move(profile));
  }
  profiles_.clear();
  return profiles;
}

const SourceFile* Profile::file(FileKind kind) const {
  for (const SourceFile& file : files) {
    if (file.place.kind == kind && !file.place.raw) return &file;
  }
  return nullptr;
}

bool Profile::has_data() const {
  for (const SourceFile& file : files) {
    switch (file.place.kind) {
      case FileKind::profiler_info:
      case FileKind::profiler_metadata:
      case FileKind::log:
      case FileKind::done_marker:
      case FileKind::other:
        continue;
      default:
        if (!file.place.raw) return true;
    }
  }
  return false;
}

}  // namespace npuprof::evidence
