// What one column more can add to a logistic regression at most, known without fitting it.
//
// At the maximum of a blanket's own regression, with a new slope of zero, only the new entry g of the gradient is not nothing.
// With w = p (1 - p) a sample, h the sums of w x over the samples where the new column is one, and H the blanket's second
// derivatives, Newton's step promises
//
//     g^2 / (h_0 - h' H^-1 h)
//
// and by the bound of newton_fit.hpp no fit gains more than (1/2 + m/6 + m^2/3) of it, where no predictor moves by more
// than m. p, w and H are the blanket's, so that a candidate costs a product with each column, and no exponential.
#pragma once
#include <cmath>

#include "newton.hpp"
#include "packs.hpp"
#include "saturated.hpp"
#include "weighted_products.hpp"

namespace markhood::MARKHOOD_TIER {

class ScoreBound {
  public:
    // Takes a regression at its maximum, less l2 times its slopes' squares; its columns and totals stay where they are.
    void prepare(const Pack* const* columns, std::size_t n_columns, const double* coefficients, const Pack* totals,
                 std::size_t n_packs, double l2) {
        columns_ = columns;
        l2_ = l2;
        n_ = n_columns + 1;
        n_packs_ = n_packs;
        share_.resize(n_packs);
        variance_.resize(n_packs);
        weight_.resize(n_packs);
        sum_columns(coefficients, share_.data());
        for (std::size_t p = 0; p < n_packs; ++p) {
            const Pack eta = share_[p];
            const PackBits positive = eta > 0.0;
            const Pack minus = positive ? -eta : eta, e = exp_of_negative(minus < -700.0 ? pack_of(-700.0) : minus);
            const Pack larger = 1.0 / (1.0 + e), smaller = e * larger;
            share_[p] = positive ? larger : smaller;
            variance_[p] = larger * smaller;
            weight_[p] = totals[p] * variance_[p];
        }
        is_known_ = decompose();
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
        for (std::size_t k = 0; k < n_; ++k) step_[k] = weighted_sum(k, weight_.data());
        const double own = step_[0] + 2 * l2_;  // zeros and ones are their own squares
        double left = own;
        for (std::size_t k = 0; k < n_; ++k) {
            for (std::size_t l = 0; l < k; ++l) step_[k] -= factor_[k * n_ + l] * step_[l];
            step_[k] *= factor_[k * n_ + k];
            left -= step_[k] * step_[k];
        }
        if (!(left > kFarFromRounding * own)) return HUGE_VAL;
        // The blanket's own gradient is not quite nothing: what its last step promised is added.
        const double size = std::fabs(gradient) / std::sqrt(left) + std::sqrt(kPromisedGain), moved = spread(gradient / left);
        return moved < 1.0 ? most_divergence(moved) * size * size + kRounding : HUGE_VAL;
    }

    // Whether H has a decomposition; the rest is for those who go on from this fit.
    bool is_known() const { return is_known_; }
    std::size_t n_coefficients() const { return n_; }
    std::size_t n_packs() const { return n_packs_; }
    double l2() const { return l2_; }
    Pack variance(std::size_t p) const { return variance_[p]; }

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

    // x <- H^-1 x.
    void solve(double* x) const {
        for (std::size_t k = 0; k < n_; ++k) {
            x[k] -= dot(factor_.data() + k * n_, x, k);
            x[k] *= factor_[k * n_ + k];
        }
        for (std::size_t k = n_; k-- > 0;) {
            x[k] *= factor_[k * n_ + k];
            for (std::size_t l = 0; l < k; ++l) x[l] -= factor_[k * n_ + l] * x[k];
        }
    }

  private:
    static constexpr double kFarFromRounding = 1e-8;

    // The Cholesky decomposition of H, with inverse pivots on the diagonal; whether all are more than rounding.
    bool decompose() {
        factor_.resize(n_ * n_);
        products_.write(columns_, n_, weight_.data(), n_packs_, factor_.data());
        for (std::size_t k = 0; k < n_; ++k) {
            double* row = factor_.data() + k * n_;
            if (k) row[k] += 2 * l2_;
            const double diagonal = row[k];
            for (std::size_t l = 0; l < k; ++l) row[l] = (row[l] - dot(row, factor_.data() + l * n_, l)) * factor_[l * n_ + l];
            const double pivot = diagonal - dot(row, row, k);
            if (!(pivot > kFarFromRounding * diagonal)) return false;
            row[k] = 1.0 / std::sqrt(pivot);
        }
        return true;
    }

    // The most by which a predictor moves where the new slope becomes `slope` and the others follow: these by
    // - slope H^-1 h, of which step_ has the first half.
    double spread(double slope) {
        for (std::size_t k = n_; k-- > 0;) {
            for (std::size_t l = k + 1; l < n_; ++l) step_[k] -= factor_[l * n_ + k] * step_[l];
            step_[k] *= factor_[k * n_ + k];
        }
        double lowest = -slope * step_[0], highest = lowest;
        (slope < 0 ? lowest : highest) += slope;
        for (std::size_t k = 1; k < n_; ++k) (-slope * step_[k] < 0 ? lowest : highest) -= slope * step_[k];
        return -lowest > highest ? -lowest : highest;
    }

    const Pack* const* columns_ = nullptr;
    std::size_t n_ = 0, n_packs_ = 0;
    double l2_ = 0.0;
    bool is_known_ = false;
    WeightedProducts products_;
    Buffer<Pack> share_, variance_, weight_;
    Buffer<double> factor_, step_;
};

}  // namespace markhood::MARKHOOD_TIER
