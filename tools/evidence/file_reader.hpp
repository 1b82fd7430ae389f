#pragma once

#include <string_view>

namespace npuprof::evidence {

// A reader that is fed a file from its first byte to its last, in pieces of any size, and so can
// sit on a stream while it arrives. Memory stays bounded whatever the file's size and content.
class FileReader {
 public:
  virtual ~FileReader() = default;

  // `piece` need not outlive the call.
  virtual void feed(std::string_view piece) = 0;

  // The file is over. Nothing may be fed afterwards.
  virtual void finish() = 0;
};

}  // namespace npuprof::evidence
