// NEON counts the ones of every byte (cnt); bytes are added in pairs up to 64-bit lanes. Every arm64 processor has it.
#pragma once
#include <arm_neon.h>

#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

struct Lanes {
    static constexpr int width = 2;
    static constexpr int row_block = 4;
    static constexpr int lane_block = 4;
    using Bits = uint64x2_t;
    using Sums = uint64x2_t;

    static Bits load(const std::uint64_t* words) { return vld1q_u64(words); }
    static Bits broadcast(std::uint64_t word) { return vdupq_n_u64(word); }
    static Sums zero() { return vdupq_n_u64(0); }
    static Sums add_common(Sums sums, Bits a, Bits b) {
        const uint8x16_t ones_in_byte = vcntq_u8(vreinterpretq_u8_u64(vandq_u64(a, b)));
        return vpadalq_u32(sums, vpaddlq_u16(vpaddlq_u8(ones_in_byte)));
    }
    static void store(double* counts, Sums sums) { vst1q_f64(counts, vcvtq_f64_u64(sums)); }
    static unsigned reaching(Sums counts, double n, double ones_i, double spread_i, const double* ones,
                             const double* spread) {
        const float64x2_t expected = vmulq_f64(vdupq_n_f64(ones_i), vld1q_f64(ones));
        const float64x2_t covariance = vsubq_f64(vmulq_f64(vdupq_n_f64(n), vcvtq_f64_u64(counts)), expected);
        const uint64x2_t reached = vcgeq_f64(vabsq_f64(covariance), vmulq_f64(vdupq_n_f64(spread_i), vld1q_f64(spread)));
        return static_cast<unsigned>(vgetq_lane_u64(reached, 0) & 1) | static_cast<unsigned>(vgetq_lane_u64(reached, 1) & 2);
    }
};

}  // namespace markhood::MARKHOOD_TIER
