#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/error.hpp"
#include "transfer/byte_source.hpp"
#include "transfer/incoming_file.hpp"
#include "transfer/remote_manifest.hpp"

namespace npuprof::transfer {

// Takes a stream apart into files under temporary names in one directory. Lives as long as a fetch;
// for one thread at a time.
class Receiver {
 public:
  struct Hooks {
    // A file is whole, as `name`.
    std::function<void(const RemoteFile&, const std::string& name, const std::string& sha256)>
        arrived;
    // A file of at least `resume_from` bytes is begun, as `name`: should it break off, what there
    // is of it stays.
    std::function<Result<void>(const RemoteFile&, const std::string& name)> begun;
  };

  // `holding` is the open directory, `first` the number the first temporary name gets.
  Receiver(int holding, std::uint64_t first, std::uint64_t resume_from, Hooks hooks,
           std::atomic<std::uint64_t>& bytes);

  // Packed tar archives that hold the files of `wanted`; what else is in them is passed over, and
  // so is a file whose size is another now.
  Result<void> take_archive(ByteSource& packed, const std::map<std::string, RemoteFile>& wanted);

  // The packed rest of `remote`, whose beginning `file` holds already, as `name`.
  Result<void> take_rest(ByteSource& packed, const RemoteFile& remote, IncomingFile& file,
                         const std::string& name);

 private:
  Result<void> finish(const RemoteFile& remote, IncomingFile& file, const std::string& name);

  const int holding_;
  std::uint64_t number_;
  const std::uint64_t resume_from_;
  const Hooks hooks_;
  std::atomic<std::uint64_t>& bytes_;
};

}  // namespace npuprof::transfer
