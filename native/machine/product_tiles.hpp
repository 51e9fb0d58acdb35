// Products of several columns of packs with several others, added up: what second derivatives are made of.
//
// Two columns against four at a time are eight sums that do not wait for each other, and six numbers read for eight
// products. More would not stay in the sixteen registers that most processors have.
#pragma once
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

template <std::size_t n_left, std::size_t n_right>
static inline void add_tile(const Pack* const* left, const Pack* const* right, std::size_t n_packs, Pack* const* sums,
                            std::size_t at) {
    Pack sum[n_left][n_right];
    for (std::size_t x = 0; x < n_left; ++x)
        for (std::size_t y = 0; y < n_right; ++y) sum[x][y] = sums[x][at + y];
    for (std::size_t p = 0; p < n_packs; ++p) {
        Pack of_right[n_right];
        for (std::size_t y = 0; y < n_right; ++y) of_right[y] = right[at + y][p];
        for (std::size_t x = 0; x < n_left; ++x) {
            const Pack of_left = left[x][p];
            for (std::size_t y = 0; y < n_right; ++y) sum[x][y] += of_left * of_right[y];
        }
    }
    for (std::size_t x = 0; x < n_left; ++x)
        for (std::size_t y = 0; y < n_right; ++y) sums[x][at + y] = sum[x][y];
}

// Adds to sums[x][y] the products of left[x] and right[y], y < n.
template <std::size_t n_left>
static inline void add_tiles(const Pack* const* left, const Pack* const* right, std::size_t n, std::size_t n_packs,
                             Pack* const* sums) {
    std::size_t at = 0;
    for (; at + 4 <= n; at += 4) add_tile<n_left, 4>(left, right, n_packs, sums, at);
    if (n - at == 3) add_tile<n_left, 3>(left, right, n_packs, sums, at);
    else if (n - at == 2) add_tile<n_left, 2>(left, right, n_packs, sums, at);
    else if (n - at == 1) add_tile<n_left, 1>(left, right, n_packs, sums, at);
}

}  // namespace markhood::MARKHOOD_TIER
