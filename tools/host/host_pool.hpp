#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "config/target.hpp"
#include "host/host.hpp"

namespace npuprof {

// The hosts of a server's targets, each made once and shared, so that a target has one
// authenticated session. Thread-safe; what it gave out stays alive without it.
class HostPool {
 public:
  // The host of `target`, known by the target's name. Nothing is connected yet: that is done by the
  // host's first command.
  Result<std::shared_ptr<Host>> host(const Target& target);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Host>> hosts_;
};

}  // namespace npuprof
