// X' diag(w) X, for columns of packs: what both a fit and a bound need at every place, and most of what they cost.
//
// Rows are taken in blocks that fit into the cache with all columns, and columns four at a time, so that a weighted
// column is read once for four products.
#pragma once
#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

class WeightedProducts {
  public:
    // Writes the lower triangle, (n, n); the first of the n columns is ones, and not among `columns`.
    void write(const Pack* const* columns, std::size_t n, const Pack* weights, std::size_t n_packs, double* to) {
        for (std::size_t k = 0; k < n; ++k) std::memset(to + k * n, 0, (k + 1) * sizeof(double));
        for (std::size_t first = 0; first < n_packs; first += kBlock) {
            const std::size_t length = n_packs - first < kBlock ? n_packs - first : kBlock;
            for (std::size_t k = 0; k < n; ++k) {
                Pack sum{};
                for (std::size_t p = 0; p < length; ++p) {
                    weighted_[p] = k ? columns[k - 1][first + p] * weights[first + p] : weights[first + p];
                    sum += weighted_[p];
                }
                to[k * n] += total(sum);
                std::size_t l = 1;
                for (; l + 4 <= k + 1; l += 4) add<4>(columns + l - 1, first, length, to + k * n + l);
                for (; l <= k; ++l) add<1>(columns + l - 1, first, length, to + k * n + l);
            }
        }
    }

  private:
    static constexpr std::size_t kBlock = 64;

    template <std::size_t several>
    void add(const Pack* const* columns, std::size_t first, std::size_t length, double* to) const {
        Pack sums[several]{};
        for (std::size_t p = 0; p < length; ++p)
            for (std::size_t c = 0; c < several; ++c) sums[c] += weighted_[p] * columns[c][first + p];
        for (std::size_t c = 0; c < several; ++c) to[c] += total(sums[c]);
    }

    Pack weighted_[kBlock];
};

}  // namespace markhood::MARKHOOD_TIER
