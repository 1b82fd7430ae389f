#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace npuprof::evidence {

// Walks over the commas, quotes and line feeds of a text, 64 bytes at a time.
class Separators {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  explicit Separators(std::string_view text) : text_(text) { load(); }

  // The position of the next separator, or `none`.
  std::size_t next() {
    while (mask_ == 0) {
      block_ += 64;
      if (block_ >= text_.size()) return none;
      load();
    }
    const auto bit = static_cast<std::size_t>(std::countr_zero(mask_));
    mask_ &= mask_ - 1;
    return block_ + bit;
  }

 private:
  void load() {
    if (block_ >= text_.size()) return;
    if (text_.size() - block_ < 64) {
      mask_ = 0;
      for (std::size_t i = block_; i < text_.size(); ++i) {
        if (text_[i] == ',' || text_[i] == '"' || text_[i] == '\n') {
          mask_ |= std::uint64_t{1} << (i - block_);
        }
      }
      return;
    }
    mask_ = 0;
    for (unsigned part = 0; part < 4; ++part) {
      mask_ |= std::uint64_t{matches(text_.data() + block_ + std::size_t{part} * 16)}
               << (part * 16);
    }
  }

  static std::uint32_t matches(const char* at) {
#if defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(found));
#elif defined(__aarch64__)
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
    const uint8x16_t found =
        vorrq_u8(vorrq_u8(vceqq_u8(bytes, vdupq_n_u8(',')), vceqq_u8(bytes, vdupq_n_u8('"'))),
                 vceqq_u8(bytes, vdupq_n_u8('\n')));
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t kept = vandq_u8(found, bits);
    return static_cast<std::uint32_t>(vaddv_u8(vget_low_u8(kept))) |
           static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(kept))) << 8;
#else
    std::uint32_t found = 0;
    for (unsigned i = 0; i < 16; ++i) {
      if (at[i] == ',' || at[i] == '"' || at[i] == '\n') found |= 1U << i;
    }
    return found;
#endif
  }

  std::string_view text_;
  std::size_t block_ = 0;
  std::uint64_t mask_ = 0;
};

}  // namespace npuprof::evidence
