#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace npuprof::evidence {

// A map from text to figures that stops taking new keys at its limit (and counts those it refused),
// since how many names a file holds is up to the file.
template <typename Value>
class BoundedMap {
 public:
  explicit BoundedMap(std::size_t limit = 50'000) : limit_(limit) {}

  Value* find_or_add(std::string_view key) {
    if (const auto found = values_.find(key); found != values_.end()) return &found->second;
    if (values_.size() >= limit_ || key.size() > 512) {
      ++refused_;
      return nullptr;
    }
    return &values_.emplace(std::string(key), Value{}).first->second;
  }

  const auto& values() const { return values_; }
  std::uint64_t refused() const { return refused_; }
  bool complete() const { return refused_ == 0; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, Value, Hash, std::equal_to<>> values_;
  std::size_t limit_;
  std::uint64_t refused_ = 0;
};

}  // namespace npuprof::evidence
