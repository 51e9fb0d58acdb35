// The likelihood of logistic regression on a table, as newton.hpp asks for it.
//
// Rows of the table are configurations of the predictors, each with its number of samples (`totals`) and of those where the target is
// one (`ones`):
//
//     eta = b_0 + sum_k b_k x_k,     L(b) = sum over rows of  ones * eta - totals * log(1 + exp(eta))
//
// A row whose samples are all ones or all zeros may go to infinity: a direction of separation moves it there, leaves the rows with both
// kinds of samples as they are, and moves no row back. So a cell of newton.hpp, a configuration with one of the two levels, is
// a row here: its other cell has the samples.
#pragma once
#include <cmath>

#include "fit/newton.hpp"
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
        outward_.resize(n_packs);
        there_.resize(n_packs);
        restore();
        for (std::size_t p = 0; p < n_packs; ++p) {
            const Pack zero{}, one = pack_of(1.0);
            outward_[p] = ones[p] == 0.0 ? -one : ones[p] == totals[p] ? one : zero;
        }
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

    // How far a step goes. Rows that are as good as gone before and after it do not count: those that leave first go ever
    // faster, and the last would wait for them.
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

    // Leaves out the rows that the step takes away; whether there are any. Those that are far gone go with them: where they
    // go now does not matter to a step.
    bool propose_leaving(const double* step) {
        linear(step, change_.data());
        stayed_.copy(there_);
        if (!take_away(0.0)) return false;
        for (std::size_t p = 0; p < n_packs(); ++p) there_[p] &= ~(outward_[p] * linear_[p] > kNegligibleLogOdds);
        return true;
    }

    void begin_sinking() { stayed_.copy(there_); }
    void end_sinking() { retract(); }

    // Leaves out the rows whose tilted probability is none; whether there are any, and none has samples of that kind.
    bool sink_negative() {
        PackBits sunk{}, with_samples{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const Pack tilted = share_[p] + variance_[p] * change_[p];
            const PackBits low = there_[p] & (tilted < 0.0), high = there_[p] & (tilted > 1.0);
            with_samples |= (low & (ones_[p] > 0.0)) | (high & (ones_[p] < totals_[p]));
            sunk |= low | high;
            there_[p] &= ~(low | high);
        }
        return any(sunk) && !any(with_samples);
    }

    // Has all rows count alike that have not left, nor are proposed, until they are weighed again.
    void weigh_equally() {
        for (std::size_t p = 0; p < n_packs(); ++p) weight_[p] = there_[p] ? pack_of(1.0) : Pack{};
    }

    // Leaves out those that a direction takes away instead, if it does nothing to the rows of both kinds and takes no row
    // back: the step, and so much of the way here (`past`) that what went before goes on. Proposed rows that it takes back stay,
    // and a direction that knows them may do.
    Leaving confirm_leaving(const double* step, const double* past) {
        linear(step, change_.data());
        linear(past, trial_linear_.data());
        const double times = needed_past();
        Pack longest = pack_of(1.0);
        for (std::size_t p = 0; p < n_packs(); ++p) {
            change_[p] += times * trial_linear_[p];
            longest = size_of(change_[p]) > longest ? size_of(change_[p]) : longest;
        }
        const double rounding = kDirectionRounding * largest(longest);
        Leaving found = keep_returning(rounding);
        if (found != Leaving::kUnclear) {
            there_.copy(stayed_);
            if (found == Leaving::kSome && !take_away(rounding)) found = Leaving::kNone;
        }
        weigh(linear_.data());
        return found;
    }

    // Takes back all that were proposed.
    void retract() {
        there_.copy(stayed_);
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

    // Whether what the tilted probabilities have more than p is the gradient.
    bool has_sums_of_samples(const double* gradient) {
        for (std::size_t p = 0; p < n_packs(); ++p) trial_linear_[p] = weight_[p] * change_[p];
        sums_.resize(n_parameters);
        sum_columns(trial_linear_.data(), sums_.data());
        for (std::size_t k = 0; k < n_parameters; ++k) sums_[k] -= gradient[k];
        return largest_size(sums_.data(), n_parameters) < kMomentRounding;
    }

    // How much of the way here, in trial_linear_, has to be added to the step in change_ for the proposed rows not to come back.
    double needed_past() const {
        Pack most{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const Pack back = -outward_[p] * change_[p], gone = outward_[p] * trial_linear_[p];
            const PackBits needs = stayed_[p] & ~there_[p] & (back > 0.0) & (gone > 1.0);
            const Pack times = needs ? (back + 1.0) / gone : Pack{};
            most = times > most ? times : most;
        }
        return largest(most);
    }

    // Has proposed rows stay that come back in change_: it is unclear then whether others leave. None does where a row of both
    // kinds moves, or one comes back that had been kept.
    Leaving keep_returning(double rounding) {
        PackBits moves{}, returns{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const PackBits back = stayed_[p] & (outward_[p] * change_[p] < -rounding);
            moves |= stayed_[p] & (outward_[p] == 0.0) & (size_of(change_[p]) > rounding);
            moves |= back & there_[p];
            returns |= back;
            there_[p] |= back;
        }
        return any(moves) ? Leaving::kNone : any(returns) ? Leaving::kUnclear : Leaving::kSome;
    }

    // Leaves out the rows that go to certainty in change_; whether there are any.
    bool take_away(double rounding) {
        PackBits gone{};
        for (std::size_t p = 0; p < n_packs(); ++p) {
            const PackBits goes = there_[p] & (outward_[p] * change_[p] > kDivergingStep + rounding);
            gone |= goes;
            there_[p] &= ~goes;
        }
        return any(gone);
    }

    const Pack* const* columns_ = nullptr;
    const Pack *ones_ = nullptr, *totals_ = nullptr, *curved_ = nullptr;
    double spread_ = 0.0;
    WeightedProducts products_;
    Buffer<Pack> outward_;  // the direction in which a row becomes certain, nothing where it has samples of both kinds
    Buffer<PackBits> there_, stayed_;  // rows that have not left; those that had not before some were proposed
    Buffer<Pack> linear_, trial_linear_, change_, share_, variance_, residual_, weight_;
    Buffer<double> sums_;
};

}  // namespace markhood::MARKHOOD_TIER
