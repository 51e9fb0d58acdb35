// AVX2 has no vector popcount: look up each half byte in a 16-entry table (shuffle), then add the
// bytes of every 64-bit lane (sad).
#pragma once
#include <immintrin.h>

#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

struct Lanes {
    static constexpr int width = 4;
    static constexpr int row_block = 2;
    static constexpr int lane_block = 2;
    using Bits = __m256i;
    using Sums = __m256i;

    static Bits load(const std::uint64_t* words) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    }
    static Bits broadcast(std::uint64_t word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }
    static Sums zero() { return _mm256_setzero_si256(); }
    static Sums add_common(Sums sums, Bits a, Bits b) {
        const __m256i ones_in_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                                        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low_nibble = _mm256_set1_epi8(0x0f);
        const __m256i common = _mm256_and_si256(a, b);
        const __m256i low = _mm256_and_si256(common, low_nibble);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(common, 4), low_nibble);
        const __m256i ones_in_byte = _mm256_add_epi8(_mm256_shuffle_epi8(ones_in_nibble, low),
                                                     _mm256_shuffle_epi8(ones_in_nibble, high));
        return _mm256_add_epi64(sums, _mm256_sad_epu8(ones_in_byte, _mm256_setzero_si256()));
    }
    static __m256d to_doubles(Sums sums) {
        // Counts stay far below 2^52, so a count in the low bits of 2^52 is a double.
        const __m256i magic = _mm256_set1_epi64x(0x4330000000000000);
        const __m256d shifted = _mm256_castsi256_pd(_mm256_or_si256(sums, magic));
        return _mm256_sub_pd(shifted, _mm256_set1_pd(4503599627370496.0));
    }
    static void store(double* counts, Sums sums) { _mm256_storeu_pd(counts, to_doubles(sums)); }
    static unsigned reaching(Sums counts, double n, double ones_i, double spread_i, const double* ones,
                             const double* spread) {
        const __m256d expected = _mm256_mul_pd(_mm256_set1_pd(ones_i), _mm256_loadu_pd(ones));
        const __m256d covariance = _mm256_fmsub_pd(_mm256_set1_pd(n), to_doubles(counts), expected);
        const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), covariance);
        const __m256d bound = _mm256_mul_pd(_mm256_set1_pd(spread_i), _mm256_loadu_pd(spread));
        return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(size, bound, _CMP_GE_OQ)));
    }
};

}  // namespace markhood::MARKHOOD_TIER
