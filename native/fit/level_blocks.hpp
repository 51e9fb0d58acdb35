// The second derivatives of a multinomial regression whose predictors are mostly zero, as indicators are: what
// level_products.hpp has for others.
//
// A row adds a block of levels for every two of its predictors that are not zero. Blocks are symmetric: only the lower triangle is
// added up.
#pragma once
#include "fit/design.hpp"
#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelBlocks {
  public:
    // Writes the lower triangle of `hessian`, (n, n). A row's levels have the weights `powers`, which sum to `sums`, and `totals`
    // samples; at least one of n_there levels remains, and a single one is certain.
    void write(const Design& design, const double* powers, const double* sums, const double* totals, const std::size_t* n_there,
               double* hessian) {
        design_ = design;
        powers_ = powers;
        sums_ = sums;
        totals_ = totals;
        q_ = design.n_levels - 1;
        block_size_ = packs_for(q_ * (q_ + 1) / 2) * kPack;
        block_.zeros(block_size_);
        blocks_.zeros(design.n_predictors * (design.n_predictors + 1) / 2 * block_size_);
        if (design.values) add_rows<true>(n_there);
        else add_rows<false>(n_there);
        spread(hessian);
    }

  private:
    template <bool has_values>
    double value(std::size_t a) const {
        if constexpr (has_values) return design_.values[a];
        else return 1.0;
    }

    // block_ = N (diag p - p p') of a row, without the first level, by rows up to the diagonal; here too 1 - p is a sum.
    void weigh_row(std::size_t r) {
        const double* p = powers_ + r * design_.n_levels;
        const double scale = 1.0 / sums_[r], all = totals_[r];
        double* to = block_.data();
        for (std::size_t k = 1; k <= q_; ++k) {
            const double times = -all * p[k] * scale * scale;
            double others = 0.0;
            for (std::size_t l = 0; l <= q_; ++l) others += l == k ? 0.0 : p[l];
            for (std::size_t l = 1; l < k; ++l) *to++ = times * p[l];
            *to++ = -times * others;
        }
    }

    template <bool has_values>
    void add_rows(const std::size_t* n_there) {
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            if (n_there[r] < 2) continue;  // certain
            weigh_row(r);
            switch (block_size_ / kPack) {
                case 1: add_blocks<has_values, 1>(r); break;
                case 2: add_blocks<has_values, 2>(r); break;
                case 3: add_blocks<has_values, 3>(r); break;
                case 4: add_blocks<has_values, 4>(r); break;
                case 5: add_blocks<has_values, 5>(r); break;
                case 6: add_blocks<has_values, 6>(r); break;
                default: add_blocks<has_values, 0>(r);
            }
        }
    }

    // Adds the row's block for every two of its predictors, the threshold among them. Blocks are packs, not squares of the
    // matrix, whose rows would be too short; of a few packs the row's own stays in registers, elsewhere `n_packs` is zero.
    template <bool has_values, std::size_t n_packs>
    void add_blocks(std::size_t r) {
        Pack own[n_packs ? n_packs : 1];
        if constexpr (n_packs > 0) std::memcpy(own, block_.data(), sizeof(own));
        const auto add = [&](double* to, double scale) {
            if constexpr (n_packs == 0) {
                for (std::size_t k = 0; k < block_size_; ++k) to[k] += scale * block_[k];
            } else {
                for (std::size_t q = 0; q < n_packs; ++q) {
                    Pack sum;
                    std::memcpy(&sum, to + q * kPack, sizeof(Pack));
                    if constexpr (has_values) sum += scale * own[q];
                    else sum += own[q];
                    std::memcpy(to + q * kPack, &sum, sizeof(Pack));
                }
            }
        };
        const std::size_t begin = design_.starts[r], end = design_.starts[r + 1];
        add(blocks_.data(), 1.0);
        for (std::size_t a = begin; a < end; ++a) {
            const std::size_t u = design_.active[a];
            double *of_u = blocks_.data() + u * (u + 1) / 2 * block_size_, x = value<has_values>(a);
            add(of_u, x);
            for (std::size_t b = begin; b <= a; ++b) add(of_u + design_.active[b] * block_size_, x * value<has_values>(b));
        }
    }

    // Writes the blocks where they are in the matrix.
    void spread(double* hessian) const {
        const std::size_t n = design_.n_predictors * q_;
        const double* block = blocks_.data();
        for (std::size_t u = 0; u < design_.n_predictors; ++u)
            for (std::size_t v = 0; v <= u; ++v, block += block_size_) {
                double* to = hessian + u * q_ * n + v * q_;
                const double* from = block;
                for (std::size_t k = 0; k < q_; ++k)
                    for (std::size_t l = 0; l <= k; ++l) to[k * n + l] = to[l * n + k] = *from++;
            }
    }

    Design design_{};
    const double *powers_ = nullptr, *sums_ = nullptr, *totals_ = nullptr;
    std::size_t q_ = 0, block_size_ = 0;
    Buffer<double> block_, blocks_;
};

}  // namespace markhood::MARKHOOD_TIER
