#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace npuprof::transfer {

// True for what performance-analysis reads: everything but the raw data (FRAMEWORK/, and PROF_*/
// apart from its mindstudio_profiler_output/). Essential files travel first.
bool is_essential(std::string_view path);

// Which files of a remote directory to bring home. Paths are relative to that directory.
class Selection {
 public:
  static Selection all();
  static Selection essential();

  // Each glob is matched against the whole relative path ("**/" spans directories, "*" and "?" stay
  // inside one) or, where it has no slash, against the name alone. INVALID_ARGUMENTS for an
  // empty list, an empty glob, or one over 1,000 bytes.
  static Result<Selection> globs(std::vector<std::string> patterns);

  // "all", "essential", or an array of globs, as tools take it.
  static Result<Selection> from_json(const Json& files);

  bool wants(std::string_view path) const;
  std::string description() const;

 private:
  enum class Kind { all, essential, globs };
  Kind kind_ = Kind::all;
  std::vector<std::string> patterns_;
};

}  // namespace npuprof::transfer
