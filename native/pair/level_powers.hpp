// The weights that one end's levels have in every row, by its fields and its neighbours: exp of a log weight, the largest of a row being
// about one.
#pragma once
#include "pair/level_moments.hpp"
#include "pair/level_side.hpp"
#include "pair/pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

// Adds slopes times columns to e, for n scores that columns are read once for.
template <std::size_t n>
static void combine(const Side& side, const double* slopes, std::size_t p, Pack (&e)[n][kRowBlock]) {
    const std::size_t n_columns = side.columns.size();
    for (std::size_t c = 0; c < n_columns; ++c)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t q = 0; q < kRowBlock; ++q) e[k][q] += slopes[k * n_columns + c] * side.columns[c][p + q];
}

// Adds what the slopes of n scores from the u-th on make of every level's log weight.
template <std::size_t n>
static void add_slopes(const Side& side, const double* slopes, std::size_t u, std::size_t p, Pack* to) {
    Pack e[n][kRowBlock] = {};
    combine(side, slopes + u * side.columns.size(), p, e);
    for (std::size_t a = 0; a < side.levels; ++a)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t q = 0; q < kRowBlock; ++q)
                to[a * kRowBlock + q] += side.features[a * side.scores + u + k] * e[k][q];
}

// Sets `to` to the same as set_powers, by one exponential a row. Levels are counted from the likelier end, so that no power is above one.
static inline void raise_powers(const Side& side, const double* slopes, std::size_t p, Pack* to, Pack* log_sums) {
    const std::size_t r = side.levels;
    const double end = side.features[r - 1], step = side.features[1] - side.features[0];
    Pack e[1][kRowBlock] = {};
    combine(side, slopes, p, e);
    for (std::size_t q = 0; q < kRowBlock; ++q) {
        const PackBits falls = e[0][q] < 0.0;
        const Pack size = falls ? -e[0][q] : e[0][q], base = clipped_exp(-step * size);
        log_sums[q] += side.largest_field + end * size;
        to[q] = pack_of(1.0);
        for (std::size_t a = 1; a < r; ++a) to[a * kRowBlock + q] = to[(a - 1) * kRowBlock + q] * base;
        for (std::size_t a = 0, z = r - 1; a <= z; ++a, --z) {
            const Pack higher = to[a * kRowBlock + q], lower = to[z * kRowBlock + q];
            to[a * kRowBlock + q] = side.weights[a] * (falls ? higher : lower);
            to[z * kRowBlock + q] = side.weights[z] * (falls ? lower : higher);
            if (!z) break;
        }
    }
}

// Sets `to` to exp of a side's part of every level's log weight, less the largest, which is added to `log_sums`.
static inline void set_powers(const Side& side, const double* b, std::size_t p, Pack* to, Pack* log_sums) {
    if (!side.columns.size()) {
        for (std::size_t a = 0; a < side.levels; ++a)
            for (std::size_t q = 0; q < kRowBlock; ++q) to[a * kRowBlock + q] = pack_of(side.weights[a]);
        for (std::size_t q = 0; q < kRowBlock; ++q) log_sums[q] += side.largest_field;
        return;
    }
    const double* slopes = b + side.first_parameter + side.n_thresholds;
    if (side.has_powers()) return raise_powers(side, slopes, p, to, log_sums);
    for (std::size_t a = 0; a < side.levels; ++a)
        for (std::size_t q = 0; q < kRowBlock; ++q) to[a * kRowBlock + q] = pack_of(side.fields[a]);
    std::size_t u = 0;
    for (; u + 2 <= side.scores; u += 2) add_slopes<2>(side, slopes, u, p, to);
    if (u < side.scores) add_slopes<1>(side, slopes, u, p, to);
    for (std::size_t q = 0; q < kRowBlock; ++q) {
        Pack largest = to[q];
        for (std::size_t a = 1; a < side.levels; ++a) {
            const Pack other = to[a * kRowBlock + q];
            largest = other > largest ? other : largest;
        }
        for (std::size_t a = 0; a < side.levels; ++a) to[a * kRowBlock + q] = clipped_exp(to[a * kRowBlock + q] - largest);
        log_sums[q] += largest;
    }
}

}  // namespace markhood::MARKHOOD_TIER
