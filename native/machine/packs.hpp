// Several doubles at a time, on any processor: the compiler's vector types, with exp and log1p.
//
// A pack is as many rows of a contingency table as a register holds. exp and log1p are the textbook ones (range
// reduction, then a series), good to about 1e-15 relative, because the library functions do not
// vectorise without flags that would change the rest of the arithmetic.
#pragma once
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

#if defined(__AVX512F__)
constexpr std::size_t kPack = 8;
#elif defined(__AVX2__)
constexpr std::size_t kPack = 4;
#else
constexpr std::size_t kPack = 2;
#endif
using Pack = double __attribute__((vector_size(kPack * sizeof(double))));
using PackBits = std::int64_t __attribute__((vector_size(kPack * sizeof(double))));

static inline std::size_t packs_for(std::size_t n) { return (n + kPack - 1) / kPack; }
static inline Pack pack_of(double value) { return Pack{} + value; }
// Number k of several packs.
static inline double& number(Pack* packs, std::size_t k) { return reinterpret_cast<double*>(packs)[k]; }
// By halves, which do not wait for each other.
static inline double total(Pack p) {
#if defined(__AVX512F__)
    const __m512d all = (__m512d)p;
    // As _mm512_reduce_add_pd does, in which GCC 12 sees a number that was never set.
    const __m256d half = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xff, all, 0), _mm512_maskz_extractf64x4_pd(0xff, all, 1));
    const __m128d quarter = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    return quarter[0] + quarter[1];
#else
    double sum[kPack];
    for (std::size_t k = 0; k < kPack; ++k) sum[k] = p[k];
    for (std::size_t half = kPack / 2; half; half /= 2)
        for (std::size_t k = 0; k < half; ++k) sum[k] += sum[k + half];
    return sum[0];
#endif
}

// exp(x) for -708 <= x <= 708; of large sums only negative ones are wanted, hence the name.
[[gnu::always_inline]] static inline Pack exp_of_negative(Pack x) {
    // x = k log 2 + r with |r| <= log(2)/2. Adding 1.5 * 2^52 rounds to an integer, and leaves it
    // in the low bits of the sum, from where it goes into the exponent of the result.
    const double shift = 6755399441055744.0;
    const Pack shifted = x * 1.4426950408889634 + shift;
    const Pack k = shifted - shift;
    const Pack r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    Pack sum = pack_of(1.0 / 6227020800.0);
    const double inverse_factorial[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
                                        1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,     1.0 / 120.0,
                                        1.0 / 24.0,        1.0 / 6.0,        0.5,             1.0,
                                        1.0};
    for (const double coefficient : inverse_factorial) sum = sum * r + coefficient;
    const PackBits exponent = ((PackBits)shifted + 1023) << 52;
    return sum * (Pack)exponent;
}

// log(1 + e) for 0 <= e <= 1, as 2 artanh(s) with s = e / (2 + e) <= 1/3, or, for the upper half,
// as log(3/2) + log(1 + (2e - 1)/3): either way |s| <= 1/5 and the series is short.
[[gnu::always_inline]] static inline Pack log_of_one_plus(Pack e) {
    const PackBits upper = e > 0.5;
    const Pack numerator = upper ? (2.0 * e - 1.0) : e;
    const Pack denominator = upper ? (2.0 * e + 5.0) : (e + 2.0);
    const Pack s = numerator / denominator, s2 = s * s;
    Pack sum = pack_of(1.0 / 23.0);
    for (int odd = 21; odd >= 1; odd -= 2) sum = sum * s2 + 1.0 / odd;
    return 2.0 * s * sum + (upper ? pack_of(0.40546510810816438198) : Pack{});
}

// exp(x) for x <= 708; below -700, where it is as good as zero, exp(-700).
static inline Pack clipped_exp(Pack x) { return exp_of_negative(x < -700.0 ? pack_of(-700.0) : x); }

// The stable logistic: p = 1 / (1 + exp(-eta)) and 1 - p from e = exp(-|eta|), so that the smaller of the two keeps its digits
// and nothing overflows. Only what a caller uses is computed.
struct Logistic {
    Pack eta, e, share, other;  // share: p; other: 1 - p

    explicit Logistic(Pack at) : eta(at) {
        const PackBits positive = eta > 0.0;
        e = clipped_exp(positive ? -eta : eta);
        const Pack larger = 1.0 / (1.0 + e), smaller = e * larger;
        share = positive ? larger : smaller;
        other = positive ? smaller : larger;
    }

    Pack variance() const { return share * other; }
    // Of a row of `totals` samples with `ones` ones. As sums over zeros and ones, so that a row of either alone loses no
    // digits to the other.
    Pack residual(Pack ones, Pack totals) const { return ones * other - (totals - ones) * share; }
    Pack log_likelihood(Pack ones, Pack totals) const {
        return (eta > 0.0 ? ones - totals : ones) * eta - totals * log_of_one_plus(e);
    }
};

// log(x) for positive x that are not subnormal.
[[gnu::always_inline]] static inline Pack log_of(Pack x) {
    const PackBits bits = (PackBits)x;
    const PackBits one = (PackBits)pack_of(1.0), fraction = (bits & 0x000fffffffffffff) | one;
    const Pack exponent = __builtin_convertvector((bits >> 52) - 1023, Pack);
    return exponent * 0.693147180559945309417 + log_of_one_plus((Pack)fraction - 1.0);
}

}  // namespace markhood::MARKHOOD_TIER
