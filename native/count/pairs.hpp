// The screen's inner loop: joint counts of pairs of variables, and the two tests they must pass.
//
// The likelihood ratio of two binary variables is n times their mutual information, and
// n MI <= n log(1 + phi^2). So a pair can only reach a bound where phi^2 >= exp(bound/n) - 1:
//
//     |n n_ij - n_i n_j| >= s_i s_j,   s_i = sqrt(n_i (n - n_i)) * (exp(bound/n) - 1)^(1/4),
//
// one multiplication and comparison that drops nearly all pairs; the rest look up their
// logarithms. Every lane of counting.hpp's sums has the count of its own pair, so that the first test is a
// vector comparison.
#pragma once
#include <cmath>

#include "count/counting.hpp"
#include "machine/buffer.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

// What the test needs of each variable of one side of a tile.
struct Margins {
    Buffer<double> ones, spread;

    void fill(BitRows rows, const std::int64_t* all_ones, std::size_t first, std::size_t n, std::size_t padded,
              double root_phi) {
        ones.resize(padded);
        spread.resize(padded);
        for (std::size_t k = 0; k < padded; ++k) {
            const double one = k < n ? static_cast<double>(all_ones[first + k]) : 0.0;
            const double product = one * (static_cast<double>(rows.n_samples) - one);
            ones[k] = one;
            // Padding and constant variables: nothing reaches infinity.
            spread[k] = product > 0 ? std::sqrt(product) * root_phi : HUGE_VAL;
        }
    }
};

// Counts a block of kRows rows (whose margins begin at ones_i and spread_i) by kColumns columns and
// puts it to the first test: bit c of reaching[r] is set where row r may depend on column c. Only
// where one does, counts[r * kColumns + c] = |row r & column c| is written. Not inlined: on
// its own the compiler keeps all sums in registers.
[[gnu::noinline]] static bool test_block(const RowBlock& x, const std::uint64_t* panel, std::size_t n_words, double n,
                                         const double* ones_i, const double* spread_i, const double* ones_j,
                                         const double* spread_j, std::uint64_t* reaching, double* counts) {
    BlockSums sums;
    count_block(x, panel, n_words, sums);
    std::uint64_t any = 0;
    for (std::size_t r = 0; r < kRows; ++r) {
        reaching[r] = 0;
        for (std::size_t l = 0; l < kLanes; ++l) {
            const std::size_t c = l * Lanes::width;
            reaching[r] |= std::uint64_t{Lanes::reaching(sums[r][l], n, ones_i[r], spread_i[r], ones_j + c, spread_j + c)}
                           << c;
        }
        any |= reaching[r];
    }
    if (any)
        for (std::size_t r = 0; r < kRows; ++r)
            for (std::size_t l = 0; l < kLanes; ++l) Lanes::store(counts + r * kColumns + l * Lanes::width, sums[r][l]);
    return any != 0;
}

// n times the mutual information, from the joint count and the two margins.
static inline double likelihood_ratio(const double* n_log_n, std::size_t n, std::size_t ones_i, std::size_t ones_j,
                                      std::size_t both) {
    return (n_log_n[both] + n_log_n[ones_i - both] + n_log_n[ones_j - both] + n_log_n[n - ones_i - ones_j + both]) -
           (n_log_n[ones_i] + n_log_n[n - ones_i] - n_log_n[n]) - (n_log_n[ones_j] + n_log_n[n - ones_j]);
}

static void associated_pairs(BitRows rows, const std::int64_t* all_ones, const double* n_log_n, Tile tile,
                             double least_ratio, Sink sink) {
    const std::size_t n_i = tile.last_row - tile.first_row, n_j = tile.last_column - tile.first_column;
    const std::size_t padded_i = padded_to(kRows, n_i), padded_j = padded_to(kColumns, n_j);
    const double n = static_cast<double>(rows.n_samples);
    // Loosened by a hair, so that rounding never drops a pair.
    const double root_phi = std::sqrt(std::sqrt(std::expm1(least_ratio / n))) * (1.0 - 1e-9);
    Margins row, column;
    row.fill(rows, all_ones, tile.first_row, n_i, padded_i, root_phi);
    column.fill(rows, all_ones, tile.first_column, n_j, padded_j, root_phi);
    Buffer<std::uint64_t> panel;
    panel.resize(rows.n_words * kColumns);

    alignas(64) double counts[kRows * kColumns];
    std::uint64_t reaching[kRows];

    const auto keep_if_passing = [&](std::size_t a, std::size_t b, std::size_t both) {
        if (a >= b || b >= tile.last_column) return;
        const std::size_t ones_a = index_of(all_ones[a]), ones_b = index_of(all_ones[b]);
        if (!(likelihood_ratio(n_log_n, rows.n_samples, ones_a, ones_b, both) >= least_ratio)) return;
        const std::int64_t found[3] = {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b),
                                       static_cast<std::int64_t>(both)};
        sink(found, 3);
    };

    for (std::size_t j = 0; j < n_j; j += kColumns) {
        const std::size_t last_j = tile.first_column + (j + kColumns < n_j ? j + kColumns : n_j) - 1;
        interleave(rows, tile.first_column + j, n_j - j, panel.data());
        for (std::size_t i = 0; i < n_i && tile.first_row + i < last_j; i += kRows) {
            const std::size_t n_block = n_i - i < kRows ? n_i - i : kRows;
            const RowBlock x(rows, tile.first_row + i, n_block);
            if (!test_block(x, panel.data(), rows.n_words, n, &row.ones[i], &row.spread[i], &column.ones[j],
                            &column.spread[j], reaching, counts))
                continue;
            for (std::size_t r = 0; r < n_block; ++r) {
                for (; reaching[r]; reaching[r] &= reaching[r] - 1) {
                    const std::size_t c = lowest_one(reaching[r]);
                    keep_if_passing(tile.first_row + i + r, tile.first_column + j + c,
                                    static_cast<std::size_t>(counts[r * kColumns + c]));
                }
            }
        }
    }
}

}  // namespace markhood::MARKHOOD_TIER
