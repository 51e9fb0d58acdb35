// AVX-512 with VPOPCNTDQ (Ice Lake, Zen 4 and later) counts eight words at once.
#pragma once
#include <immintrin.h>

#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

struct Lanes {
    static constexpr int width = 8;
    static constexpr int row_block = 4;
    static constexpr int lane_block = 4;
    using Bits = __m512i;
    using Sums = __m512i;

    static Bits load(const std::uint64_t* words) { return _mm512_loadu_si512(words); }
    static Bits broadcast(std::uint64_t word) { return _mm512_set1_epi64(static_cast<long long>(word)); }
    static Sums zero() { return _mm512_setzero_si512(); }
    static Sums add_common(Sums sums, Bits a, Bits b) {
        return _mm512_add_epi64(sums, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
    }
    static void store(double* counts, Sums sums) { _mm512_storeu_pd(counts, _mm512_cvtepi64_pd(sums)); }
    static unsigned reaching(Sums counts, double n, double ones_i, double spread_i, const double* ones,
                             const double* spread) {
        const __m512d expected = _mm512_mul_pd(_mm512_set1_pd(ones_i), _mm512_loadu_pd(ones));
        const __m512d covariance = _mm512_fmsub_pd(_mm512_set1_pd(n), _mm512_cvtepi64_pd(counts), expected);
        const __m512d bound = _mm512_mul_pd(_mm512_set1_pd(spread_i), _mm512_loadu_pd(spread));
        return _mm512_cmp_pd_mask(_mm512_abs_pd(covariance), bound, _CMP_GE_OQ);
    }
};

}  // namespace markhood::MARKHOOD_TIER
