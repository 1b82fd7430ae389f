#include "host/announcement.hpp"

namespace npuprof {
namespace {

constexpr std::size_t noise_limit = 64 << 10;

void keep_tail(std::string& noise) {
  if (noise.size() > noise_limit) noise.erase(0, noise.size() - noise_limit);
}

}  // namespace

std::string Announcement::script(std::string_view marker) {
  const std::string quoted(marker);
  return "echo '" + quoted + "':$$; echo '" + quoted + "' >&2; ";
}

void Announcement::strip_out(std::string& bytes) {
  if (out_seen_) return;
  noise_out_ += bytes;
  bytes.clear();
  const auto at = noise_out_.find(marker_ + ":");
  const auto end = at == std::string::npos ? at : noise_out_.find('\n', at);
  if (end == std::string::npos) {
    if (at == std::string::npos) keep_tail(noise_out_);
    return;
  }
  out_seen_ = true;
  const auto id = at + marker_.size() + 1;
  process_id_ = noise_out_.substr(id, end - id);
  if (process_id_.find_first_not_of("0123456789") != std::string::npos) process_id_.clear();
  bytes = noise_out_.substr(end + 1);
  noise_out_.erase(at);
}

void Announcement::strip_err(std::string& bytes) {
  if (err_seen_) return;
  noise_err_ += bytes;
  bytes.clear();
  const auto at = noise_err_.find(marker_ + "\n");
  if (at == std::string::npos) {
    keep_tail(noise_err_);
    return;
  }
  err_seen_ = true;
  bytes = noise_err_.substr(at + marker_.size() + 1);
  noise_err_.erase(at);
}

}  // namespace npuprof
