#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evidence/file_reader.hpp"
#include "evidence/profile.hpp"

namespace npuprof::evidence {

// Gathers what the files of a tree hold, each fed through a reader of its own, in any order, from
// disk or while they arrive. Not for several threads at once.
class Collection {
 public:
  // `root_name` is the name of the tree's folder, which may be that of a profile.
  explicit Collection(std::string root_name);
  ~Collection();
  Collection(Collection&&) noexcept;
  Collection& operator=(Collection&&) noexcept;

  // The reader for the file at `path` (relative, with '/'). It must not outlive the collection. A
  // file whose reader is never finished counts as not read. What lies in a database can't be fed:
  // see add_database.
  std::unique_ptr<FileReader> open(const std::string& path, std::uint64_t bytes,
                                   std::optional<std::int64_t> modified_ns = {});

  // For a file of the collection that is a database, once it is whole on disk.
  void add_database(const std::string& path, const std::filesystem::path& on_disk);

  // A folder, so that an empty one is known too.
  void add_folder(const std::string& path);

  // What was gathered, in the order of the paths. The collection is empty afterwards.
  std::vector<Profile> take();

 private:
  struct Gathered;
  Gathered& gathered(const Place& place);

  std::string root_name_;
  std::map<std::string, std::unique_ptr<Gathered>> profiles_;
};

}  // namespace npuprof::evidence
