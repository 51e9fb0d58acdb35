// The most that one more column can add to a logistic regression, without fitting it.
//
// At the maximum of a blanket's own regression, with a new slope of zero, only the new entry g of the gradient is not zero.
// With w = p (1 - p) a sample, h the sums of w x over the samples where the new column is one, and H the blanket's second
// derivatives, Newton's step promises
//
//     g^2 / (h_0 - h' H^-1 h)
//
// and by the bound of tilted_bound.hpp no fit gains more than (1/2 + m/6 + m^2/3) of it, where no predictor moves by more
// than m. p, w and H are the blanket's, so that a candidate costs a product with each column, and no exponential.
//
// Where data are separated, this is asked of the rows that have not left for certainty. On these some columns may be combinations of
// others, and take no part. Which ones is decided with equal weights of all rows, because it does not depend on probabilities.
#pragma once
#include <cmath>

#include "fit/newton.hpp"
#include "machine/packs.hpp"
#include "machine/weighted_products.hpp"

namespace markhood::MARKHOOD_TIER {

class ScoreBound {
  public:
    // Takes a regression at its maximum, less l2 times its slopes' squares; its columns and totals stay where they are.
    void prepare(const Pack* const* columns, std::size_t n_columns, const double* coefficients, const Pack* totals,
                 std::size_t n_packs, double l2) {
        columns_ = columns;
        totals_ = totals;
        l2_ = l2;
        n_ = n_columns + 1;
        n_packs_ = n_packs;
        share_.resize(n_packs);
        variance_.resize(n_packs);
        weight_.resize(n_packs);
        sum_columns(coefficients, share_.data());
        for (std::size_t p = 0; p < n_packs; ++p) {
            const Logistic at(share_[p]);
            share_[p] = at.share;
            variance_[p] = at.variance();
        }
        is_known_ = factorise();
    }

    // The most that a column can add, by how many samples of each row it is one in, and in how many of them the
    // target is; infinite where that is not known.
    double gain(const Pack* ones, const Pack* totals) {
        if (!is_known_) return HUGE_VAL;
        Pack residual{};
        for (std::size_t p = 0; p < n_packs_; ++p) {
            residual += ones[p] - totals[p] * share_[p];
            weight_[p] = totals[p] * variance_[p];
        }
        const double gradient = total(residual);
        step_.resize(n_);
        sums_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) sums_[k] = weighted_sum(k, weight_.data());
        const double own = sums_[0] + 2 * l2_;  // zeros and ones are their own squares
        const double left = own - factor_.substitute(sums_.data(), step_.data());
        if (!(left > kSmallestPivot * own)) return l2_ == 0 && is_copy(totals) ? kBoundRounding : HUGE_VAL;
        // The blanket's own gradient is not exactly zero: add what its last step promised.
        const double size = std::fabs(gradient) / std::sqrt(left) + std::sqrt(kPromisedGain);
        const double moved = spread(gradient / left);
        return moved < 1.0 ? most_divergence(moved) * size * size + kBoundRounding : HUGE_VAL;
    }

    // Whether H has a decomposition, and a column is in no combination, neither as one nor as a part of one: then the combinations, and
    // the directions in which rows leave, are the same without it. The rest is for those who go on from this fit.
    bool is_apart(std::size_t column) const { return is_known_ && !(has_combinations_ && is_combined_[column + 1]); }
    std::size_t n_packs() const { return n_packs_; }
    const Pack* variances() const { return variance_.data(); }
    Cholesky& factor() { return factor_; }

  private:
    static constexpr double kSmallestPivot = 1e-8;  // relative to the diagonal: far above rounding, as a bound must hold
    static constexpr double kIndependent = 1e-6;    // share of a column in a linear combination; less is rounding

    // The sum of a column, the first being ones, times weights of the rows.
    double weighted_sum(std::size_t k, const Pack* weights) const {
        Pack sum{};
        for (std::size_t p = 0; p < n_packs_; ++p) sum += k ? weights[p] * columns_[k - 1][p] : weights[p];
        return total(sum);
    }

    // The sum of all columns times b, of every row.
    void sum_columns(const double* b, Pack* to) const {
        for (std::size_t p = 0; p < n_packs_; ++p) {
            Pack sum = pack_of(b[0]);
            for (std::size_t k = 1; k < n_; ++k) sum += b[k] * columns_[k - 1][p];
            to[p] = sum;
        }
    }

    // Factorises H; whether all pivots are more than rounding but those of combinations of others.
    bool factorise() {
        const auto weigh = [&](std::size_t p) { return totals_[p] * variance_[p]; };
        is_combination_.zeros(n_);
        has_combinations_ = !factorise(weigh);
        if (!has_combinations_) return true;
        if (l2_ > 0) return false;
        set_curvature([&](std::size_t p) { return totals_[p] > 0.0 ? pack_of(1.0) : Pack{}; });
        alike_.copy(factor_.matrix());
        factor_.decompose([&](std::size_t k, double pivot, double diagonal) {
            return !(is_combination_[k] = !(pivot > kSmallestPivot * diagonal));
        });
        mark_combined();
        return factorise(weigh);
    }

    template <class Weigh>
    void set_curvature(Weigh weigh) {
        for (std::size_t p = 0; p < n_packs_; ++p) weight_[p] = weigh(p);
        factor_.resize(n_);
        products_.write(columns_, n_, weight_.data(), n_packs_, factor_.data());
        for (std::size_t k = 1; k < n_; ++k) factor_.data()[k * n_ + k] += 2 * l2_;
    }

    // Whether all but combinations have a pivot.
    template <class Weigh>
    bool factorise(Weigh weigh) {
        bool all_usable = true;
        set_curvature(weigh);
        factor_.decompose([&](std::size_t k, double pivot, double diagonal) {
            if (is_combination_[k]) return false;
            all_usable = all_usable && pivot > kSmallestPivot * diagonal;
            return all_usable;
        });
        return all_usable;
    }

    // Marks the combinations and the columns that they are made of: the solution of the equations of the others says how much of each.
    void mark_combined() {
        is_combined_.copy(is_combination_);
        step_.resize(n_);
        sums_.resize(n_);
        for (std::size_t c = 0; c < n_; ++c) {
            if (!is_combination_[c]) continue;
            for (std::size_t k = 0; k < n_; ++k) sums_[k] = k < c ? alike_[c * n_ + k] : alike_[k * n_ + c];
            factor_.substitute(sums_.data(), step_.data());
            for (std::size_t k = 0; k < n_; ++k) is_combined_[k] = is_combined_[k] || std::fabs(step_[k]) > kIndependent;
        }
    }

    // Whether a column is one in all samples, in none, or in those where one of the others is one, or zero: then it adds nothing.
    bool is_copy(const Pack* with_candidate) const {
        for (std::size_t k = 0; k < n_; ++k) {
            PackBits unlike{}, unlike_not{};
            for (std::size_t p = 0; p < n_packs_; ++p) {
                const Pack of_column = k ? totals_[p] * columns_[k - 1][p] : totals_[p];
                unlike |= with_candidate[p] != of_column;
                unlike_not |= with_candidate[p] != totals_[p] - of_column;
            }
            bool is_like = true, is_like_not = true;
            for (std::size_t lane = 0; lane < kPack; ++lane) {
                is_like = is_like && !unlike[lane];
                is_like_not = is_like_not && !unlike_not[lane];
            }
            if (is_like || is_like_not) return true;
        }
        return false;
    }

    // The most by which a predictor moves where the new slope becomes `slope` and the others follow: these by
    // - slope H^-1 h, which is in step_.
    double spread(double slope) const {
        double lowest = -slope * step_[0], highest = lowest;
        (slope < 0 ? lowest : highest) += slope;
        for (std::size_t k = 1; k < n_; ++k) (-slope * step_[k] < 0 ? lowest : highest) -= slope * step_[k];
        return -lowest > highest ? -lowest : highest;
    }

    const Pack* const* columns_ = nullptr;
    const Pack* totals_ = nullptr;
    std::size_t n_ = 0, n_packs_ = 0;
    double l2_ = 0.0;
    bool is_known_ = false, has_combinations_ = false;
    WeightedProducts products_;
    Buffer<Pack> share_, variance_, weight_;
    Cholesky factor_;
    Buffer<double> alike_, sums_, step_;
    Buffer<bool> is_combination_, is_combined_;
};

}  // namespace markhood::MARKHOOD_TIER
