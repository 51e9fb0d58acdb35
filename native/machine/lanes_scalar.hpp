// Lanes: how one instruction set intersects, counts and compares bits of several variables at once.
//
// A lane type holds one 64-bit word of each of `width` variables. The loops that use it
// (pairs.hpp, table.hpp) are written once and do not know which one they have.
#pragma once
#include <cmath>

#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

struct Lanes {
    static constexpr int width = 1;
    static constexpr int row_block = 2;   // rows and columns of lanes met at a time: as many
    static constexpr int lane_block = 2;  // sums as there are registers for
    using Bits = std::uint64_t;
    using Sums = std::uint64_t;

    static Bits load(const std::uint64_t* words) { return *words; }
    static Bits broadcast(std::uint64_t word) { return word; }
    static Sums zero() { return 0; }
    static Sums add_common(Sums sums, Bits a, Bits b) { return sums + ones_in(a & b); }
    static void store(double* counts, Sums sums) { *counts = static_cast<double>(sums); }
    // Bit l: whether |n counts[l] - ones_i ones[l]| >= spread_i spread[l].
    static unsigned reaching(Sums counts, double n, double ones_i, double spread_i, const double* ones,
                             const double* spread) {
        return std::fabs(n * static_cast<double>(counts) - ones_i * *ones) >= spread_i * *spread;
    }
};

}  // namespace markhood::MARKHOOD_TIER
