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
        table_.build(rows_, target, given, size, false);
        list_cells();
        double log_slices = 0.0;
        for (std::size_t k = 0; k < size; ++k) log_slices += std::log(static_cast<double>(rows_.levels(index_of(given[k]))));
        const double share = std::exp(-log_slices);  // of one slice
        empty_ = kLog2 * (1.0 - static_cast<double>(table_.n_rows) * share);
        // Where a share is all but nothing, expm1 is its argument, which may be too small to write.
        prior_odds_ = share > 1e-15 ? std::log(std::expm1(kLog2 * share)) : std::log(kLog2) - log_slices;
    }

    // log Pr(independent)
    double against(std::size_t other) {
        set_log_ratios(other);
        double sum = 0.0;
        for (std::size_t r = 0; r < table_.n_rows; ++r) {
            const double odds = prior_odds_ + log_ratio_[r];
            sum += odds > 0 ? odds + std::log1p(std::exp(-odds)) : std::log1p(std::exp(odds));
        }
        return -(sum + empty_);
    }

  private:
    static constexpr double kLog2 = 0.693147180559945309417;

    // The counts of each slice that are not zero, which are few where levels are many.
    void list_cells() {
        first_cell_.resize(0);
        occurring_.resize(0);
        const double* n = table_.counts.data();
        for (std::size_t r = 0; r < table_.n_rows; ++r) {
            first_cell_.push(occurring_.size());
            for (std::size_t x = 0; x < table_.n_levels; ++x, ++n)
                if (*n > 0) occurring_.push(*n);
        }
        first_cell_.push(occurring_.size());
    }

    // log h - log g of every slice.
    void set_log_ratios(std::size_t other) {
        const std::size_t x_levels = table_.n_levels, y_levels = rows_.levels(other);
        const double r_x = static_cast<double>(x_levels), r_y = static_cast<double>(y_levels);
        const double of_empty = log_gamma(r_x * r_y), of_empty_x = log_gamma(r_y), of_empty_y = log_gamma(r_x);
        log_ratio_.resize(table_.n_rows);
        for (std::size_t r = 0; r < table_.n_rows; ++r) {
            double all = 0.0, margins = 0.0;
            for (std::size_t c = first_cell_[r]; c < first_cell_[r + 1]; ++c) {
                all += occurring_[c];
                margins += log_gamma(r_y + occurring_[c]) - of_empty_x;
            }
            log_ratio_[r] = log_gamma(r_x * r_y + all) - of_empty - margins;
        }
        of_y_.zeros(table_.n_rows * y_levels);
        table_.for_each_cell(other, [&](std::size_t r, std::size_t, std::size_t y, double count) {
            of_y_[r * y_levels + y] += count;
            log_ratio_[r] += log_gamma(1.0 + count);
        });
        for (std::size_t r = 0; r < table_.n_rows; ++r)
            for (std::size_t y = 0; y < y_levels; ++y)
                if (const double all = of_y_[r * y_levels + y]; all > 0) log_ratio_[r] -= log_gamma(r_x + all) - of_empty_y;
    }

    BitRows rows_;
    double empty_ = 0.0, prior_odds_ = 0.0;
    LevelTable table_;
    Buffer<std::size_t> first_cell_;
    Buffer<double> occurring_, log_ratio_, of_y_;
};

}  // namespace markhood::MARKHOOD_TIER
