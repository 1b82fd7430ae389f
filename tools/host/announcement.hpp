#pragma once

#include <string>
#include <string_view>

namespace npuprof {

// What a command that goes through a shell says on both streams before its program starts:
// "<marker>:<process id>\n" on standard output and "<marker>\n" on standard error. What comes
// before is the noise of a login shell's profile and is dropped.
//
// A command that never announces itself (its shell failed) keeps what it said, for its error.
class Announcement {
 public:
  explicit Announcement(std::string marker) : marker_(std::move(marker)) {}

  // The shell words that announce.
  static std::string script(std::string_view marker);

  // Takes what arrived and leaves what belongs to the program.
  void strip_out(std::string& bytes);
  void strip_err(std::string& bytes);

  bool is_made() const { return out_seen_; }
  const std::string& process_id() const { return process_id_; }  // empty until announced
  const std::string& noise() const { return noise_out_; }        // at most the last 64 KiB
  const std::string& error_noise() const { return noise_err_; }

 private:
  std::string marker_;
  std::string process_id_;
  std::string noise_out_;
  std::string noise_err_;
  bool out_seen_ = false;
  bool err_seen_ = false;
};

}  // namespace npuprof
