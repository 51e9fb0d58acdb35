// The likelihood of logistic regression on a table, with what newton.hpp needs for its policies.
//
// Rows of the table are configurations of the predictors, each with its number of samples (`totals`) and of those where the target is
// one (`ones`):
//
//     eta = b_0 + sum_k b_k x_k,     L(b) = sum over rows of  ones * eta - totals * log(1 + exp(eta))
//
// A row whose samples are all ones or all zeros may go to infinity: its other cell has no samples, and leaves.
#pragma once
#include <cmath>

#include "fit/separation.hpp"
#include "fit/tilted_bound.hpp"
#include "machine/packs.hpp"
#include "machine/weighted_products.hpp"

namespace markhood::MARKHOOD_TIER {

class BinaryModel {
  public:
    static constexpr std::size_t n_thresholds = 1;
    static constexpr bool kBoundsChords = true;
    std::size_t n_parameters = 0;

    void set(const Pack* const* columns, std::size_t n_columns, const Pack* ones, const Pack* totals, std::size_t n_packs) {
        columns_ = columns;
        n_parameters = n_columns + 1;
        ones_ = ones;
        totals_ = totals;
        curved_ = nullptr;
        for (Buffer<Pack>* of_rows : {&linear_, &trial_linear_, &change_, &share_, &variance_, &residual_, &weight_})
            of_rows->resize(n_packs);
        there_.resize(n_packs);
        restore();
    }

    // Takes the variances of all rows where the curvature was taken that chord steps use.
    void set_curved(const Pack* variances) { curved_ = variances; }

    // Has only the rows without samples left out.
    void restore() {
        for (std::size_t p = 0; p < n_packs(); ++p) there_[p] = totals_[p] > 0.0;
    }

    double n_samples() const { return sum_of(totals_); }

    // The rows that have samples and have not left.
    const Buffer<PackBits>& there() const { return there_; }

    double reach(std::size_t) const { return 1.0; }

    // The largest change of a log odds along a step. Rows whose probability is negligibly far from zero or one before and after it do
    // not count: on the way to separation they move ever faster, and would slow down the others.
    double prepare(const double* step) {
        linear(step, change_.data());
        Pack longest{}, widest{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const Pack moved = there_[p] ? size_of(change_[p]) : Pack{};
            const PackBits near = (size_of(linear_[p]) < kNegligibleLogOdds) | (size_of(linear_[p] + change_[p]) < kNegligibleLogOdds);
            const Pack moved_near = near ? moved : Pack{};
            widest = moved > widest ? moved : widest;
            longest = moved_near > longest ? moved_near : longest;
        }
        spread_ = largest(widest);
        return largest(longest);
    }

    double spread(const double*) const { return spread_; }

    // KL(q, p) at most, of the tilted probabilities q = p + v change of the prepared step, with the variance v where the curvature was
    // taken. Infinite where q is negative or above one, or where a coordinate without a pivot may keep it from having the sums of the samples.
    double divergence(const double* gradient, bool all_usable) {
        Pack sum{};
        PackBits impossible{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const Pack other = 1.0 - share_[p], more = curved_ ? curved_[p] * change_[p] : Pack{};
            const Pack of_one = curved_ ? more / share_[p] : other * change_[p], of_zero = curved_ ? more / other : share_[p] * change_[p];
            impossible |= there_[p] & ((of_one < -1.0) | (of_zero > 1.0));
            const Pack of_row = share_[p] * divergence_of(of_one) + other * divergence_of(-of_zero);
            sum += there_[p] ? totals_[p] * of_row : Pack{};
        }
        if (any(impossible)) return HUGE_VAL;
        return all_usable || has_sums_of_samples(gradient) ? total(sum) : HUGE_VAL;
    }

    double evaluate(const double* b) {
        linear(b, linear_.data());
        return weigh(linear_.data());
    }

    double attempt(const double*, double length) {
        for (std::size_t p = 0; p < n_packs(); ++p) trial_linear_[p] = linear_[p] + length * change_[p];
        return weigh(trial_linear_.data());
    }

    void accept() { linear_.swap(trial_linear_); }

    void differentiate(double* gradient, double* hessian) {
        products_.write(columns_, n_parameters, weight_.data(), n_packs(), hessian);
        differentiate(gradient);
    }

    void differentiate(double* gradient) const { sum_columns(residual_.data(), gradient); }

    // The certificate of separation: see separation.hpp. Most steps move no row enough.
    bool propose_leaving(const double* step) {
        linear(step, change_.data());
        PackBits leaves{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const PackBits falls = (ones_[p] == 0.0) & (change_[p] < -kDivergingStep);
            leaves |= there_[p] & (falls | ((ones_[p] == totals_[p]) & (change_[p] > kDivergingStep)));
        }
        if (!any(leaves)) return false;
        set_cells();
        write_cells(linear_, cell_linear_);
        write_cells(change_, cell_change_);
        const bool any_proposed = cells_.propose(cell_linear_.data(), cell_change_.data());
        take_cells();
        return any_proposed;
    }

    // Gives all rows that have not left, nor are proposed, the same weight until they are weighed again.
    void weigh_equally() {
        for (std::size_t p = 0; p < n_packs(); ++p) weight_[p] = there_[p] ? pack_of(1.0) : Pack{};
    }

    Leaving confirm_leaving(const double* step, const double* past) {
        linear(step, change_.data());
        write_cells(change_, cell_change_);
        linear(past, change_.data());
        write_cells(change_, cell_linear_);
        const Leaving found = cells_.confirm(cell_change_.data(), cell_linear_.data());
        take_cells();
        weigh(linear_.data());
        return found;
    }

    // Takes back all that were proposed.
    void retract() {
        cells_.retract();
        take_cells();
        weigh(linear_.data());
    }

  private:
    std::size_t n_packs() const { return there_.size(); }

    double sum_of(const Pack* counts) const {
        Pack sum{};
        for (std::size_t p = 0; p < n_packs(); ++p) sum += counts[p];
        return total(sum);
    }

    static Pack size_of(Pack x) { return x < 0.0 ? -x : x; }

    static double largest(Pack of) {
        double found = of[0];
        for (std::size_t k = 1; k < kPack; ++k) found = of[k] > found ? of[k] : found;
        return found;
    }

    static bool any(PackBits of) {
        for (std::size_t k = 0; k < kPack; ++k)
            if (of[k]) return true;
        return false;
    }

    void linear(const double* b, Pack* to) const {
        for (std::size_t p = 0; p < n_packs(); ++p) {
            Pack sum = pack_of(b[0]);
            for (std::size_t k = 1; k < n_parameters; ++k) sum += b[k] * columns_[k - 1][p];
            to[p] = sum;
        }
    }

    void sum_columns(const Pack* of_rows, double* to) const {
        for (std::size_t k = 0; k < n_parameters; ++k) {
            Pack sum{};
            for (std::size_t p = 0; p < n_packs(); ++p) sum += k ? columns_[k - 1][p] * of_rows[p] : of_rows[p];
            to[k] = total(sum);
        }
    }

    // The likelihood of the rows that are there, and what its derivatives are made of.
    double weigh(const Pack* predictors) {
        Pack sum{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const Logistic at(predictors[p]);
            const Pack all = there_[p] ? totals_[p] : Pack{}, one = there_[p] ? ones_[p] : Pack{};
            share_[p] = at.share;
            variance_[p] = at.variance();
            residual_[p] = at.residual(one, all);
            weight_[p] = all * variance_[p];
            sum += at.log_likelihood(one, all);
        }
        return total(sum);
    }

    // Whether the tilted probabilities have the sums of the samples: what they add to p is then the gradient.
    bool has_sums_of_samples(const double* gradient) {
        for (std::size_t p = 0; p < n_packs(); ++p) trial_linear_[p] = weight_[p] * change_[p];
        sums_.resize(n_parameters);
        sum_columns(trial_linear_.data(), sums_.data());
        for (std::size_t k = 0; k < n_parameters; ++k) sums_[k] -= gradient[k];
        return largest_size(sums_.data(), n_parameters) < kMomentRounding;
    }

    // A row has a cell for zero and one for one; those of rows that are not there have left.
    void set_cells() {
        const double *ones = reinterpret_cast<const double*>(ones_), *totals = reinterpret_cast<const double*>(totals_);
        const std::size_t n_rows = n_packs() * kPack;
        counts_.resize(2 * n_rows);
        cells_.set(counts_.data(), n_rows, 2);
        for (std::size_t r = 0; r < n_rows; ++r) {
            counts_[2 * r] = totals[r] - ones[r];
            counts_[2 * r + 1] = ones[r];
            cells_.left[2 * r] = cells_.left[2 * r + 1] = !there_[r / kPack][r % kPack];
        }
    }

    static void write_cells(const Buffer<Pack>& predictors, Buffer<double>& to) {
        const double* eta = reinterpret_cast<const double*>(predictors.data());
        to.resize(2 * predictors.size() * kPack);
        for (std::size_t r = 0; r < predictors.size() * kPack; ++r) {
            to[2 * r] = 0.0;
            to[2 * r + 1] = eta[r];
        }
    }

    void take_cells() {
        for (std::size_t r = 0; r < n_packs() * kPack; ++r)
            there_[r / kPack][r % kPack] = cells_.left[2 * r] || cells_.left[2 * r + 1] ? 0 : -1;
    }

    const Pack* const* columns_ = nullptr;
    const Pack *ones_ = nullptr, *totals_ = nullptr, *curved_ = nullptr;
    double spread_ = 0.0;
    WeightedProducts products_;
    Buffer<PackBits> there_;  // rows that have not left
    Cells cells_;
    Buffer<double> counts_, cell_linear_, cell_change_;
    Buffer<Pack> linear_, trial_linear_, change_, share_, variance_, residual_, weight_;
    Buffer<double> sums_;
};

}  // namespace markhood::MARKHOOD_TIER
