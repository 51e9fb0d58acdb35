// The Bayesian test of independence for any number of levels and for weighted samples.
//
// `kernels/reference/independence.py` has the definition. A slice is a row of the target's table.
#pragma once
#include <cmath>

#include "count/level_table.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelIndependenceTest {
  public:
    explicit LevelIndependenceTest(BitRows rows) : rows_(rows) {}

    void condition(std::size_t target, const std::int64_t* given, std::size_t size) {
        table_.build(rows_, target, given, size);
        double log_slices = 0.0;
        for (std::size_t k = 0; k < size; ++k) log_slices += std::log(static_cast<double>(rows_.levels(index_of(given[k]))));
        const double share = std::exp(-log_slices);  // of one slice
        empty_ = kLog2 * (1.0 - static_cast<double>(table_.n_rows) * share);
        // Where a share is all but nothing, expm1 is its argument, which may be too small to write.
        prior_odds_ = share > 1e-15 ? std::log(std::expm1(kLog2 * share)) : std::log(kLog2) - log_slices;
    }

    // log Pr(independent)
    double against(std::size_t other) {
        table_.count(other);
        const std::size_t x_levels = table_.n_levels, y_levels = rows_.levels(other);
        double sum = 0.0;
        for (std::size_t r = 0; r < table_.n_rows; ++r) {
            const double odds = prior_odds_ + log_ratio(r, x_levels, y_levels);
            sum += odds > 0 ? odds + std::log1p(std::exp(-odds)) : std::log1p(std::exp(odds));
        }
        return -(sum + empty_);
    }

  private:
    static constexpr double kLog2 = 0.693147180559945309417;

    // log h - log g of a slice.
    double log_ratio(std::size_t slice, std::size_t x_levels, std::size_t y_levels) {
        const double *n = table_.all_counts() + slice * x_levels, r_x = static_cast<double>(x_levels),
                     r_y = static_cast<double>(y_levels);
        const std::size_t stride = table_.n_rows * x_levels;
        double cells = 0.0, margins = 0.0, all = 0.0;
        for (std::size_t x = 0; x < x_levels; ++x) {
            double of_x = 0.0;
            for (std::size_t y = 0; y < y_levels; ++y) of_x += n[y * stride + x];
            margins += of_x > 0 ? log_gamma(r_y + of_x) - log_gamma(r_y) : 0.0;
            all += of_x;
        }
        for (std::size_t y = 0; y < y_levels; ++y) {
            double of_y = 0.0;
            for (std::size_t x = 0; x < x_levels; ++x) {
                of_y += n[y * stride + x];
                cells += n[y * stride + x] > 0 ? log_gamma(1.0 + n[y * stride + x]) : 0.0;
            }
            margins += of_y > 0 ? log_gamma(r_x + of_y) - log_gamma(r_x) : 0.0;
        }
        return ((log_gamma(r_x * r_y + all) - log_gamma(r_x * r_y)) + cells) - margins;
    }

    BitRows rows_;
    double empty_ = 0.0, prior_odds_ = 0.0;
    LevelTable table_;
};

}  // namespace markhood::MARKHOOD_TIER
