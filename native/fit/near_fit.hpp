// A logistic regression with one column less, from that with it: a step or two beside a maximum that is known.
//
// With H the second derivatives at the known maximum b, and a = H^-1 e_j, the best place without column j is nearly
//
//     b - b_j a / a_j,
//
// and from there the steps go on with the same H, of which the row and column j are taken out by the same a:
// H_-j^-1 g = z - z_j a / a_j with z = H^-1 g. So a step costs a product with each column, not with each pair of columns, and
// a hub with 200 neighbours is described by one decomposition. The steps come nearer by a constant factor each, which is small
// because one column changes little; where it is not, Newton's method does it (newton_fit.hpp).
//
// A step also bounds what the maximum is. With w = p (1 - p) of the known fit and s the step at probabilities p', q = p' + w x's
// has the sums of the samples, so that no fit has a likelihood above -(entropy of q), which is L + KL(q, p'), and KL is at
// most the chi-squared distance. With a penalty l2 |b|^2, H has 2 l2 on its diagonal, and l2 |s|^2 is added to the bound.
#pragma once
#include <cmath>

#include "fit/score_bound.hpp"

namespace markhood::MARKHOOD_TIER {

class NearFit {
  public:
    enum class Found { kMaximum, kBelow, kFar };
    double objective = 0.0;  // the maximum, or a number between it and `floor`

    // Looks for the maximum without column `position` of a regression that `known` was prepared with.
    Found without(std::size_t position, ScoreBound& known, const double* b, const Pack* ones, const Pack* totals, double floor) {
        known_ = &known;
        n_ = known.n_coefficients();
        gone_ = position + 1;
        begin(b);
        double before = HUGE_VAL;
        for (int iteration = 0; iteration < kMostSteps; ++iteration) {
            const double reached = evaluate(ones, totals);
            const double promised = step();
            if (!(promised < kFast * before) || (iteration && !(reached >= objective - kRounding))) return Found::kFar;
            objective = reached;
            before = promised;
            if (floor > -HUGE_VAL) {
                const double most = reached + divergence(totals) + kRounding;
                if (most <= floor) {
                    objective = most;
                    return Found::kBelow;
                }
            }
            if (promised < kPromised) return Found::kMaximum;
            for (std::size_t k = 0; k < n_; ++k) at_[k] += step_[k];
            for (std::size_t p = 0; p < eta_.size(); ++p) eta_[p] += change_[p];
        }
        return Found::kFar;
    }

  private:
    static constexpr int kMostSteps = 30;
    static constexpr double kFast = 0.6;       // of what the step before promised
    static constexpr double kPromised = 1e-12;  // less than for Newton's steps, which end much nearer than they promise

    void begin(const double* b) {
        at_.resize(n_);
        step_.resize(n_);
        inverse_.resize(n_);
        gradient_.resize(n_);
        for (Buffer<Pack>* of_rows : {&eta_, &change_, &share_, &residual_}) of_rows->resize(known_->n_packs());
        std::memset(gradient_.data(), 0, n_ * sizeof(double));
        gradient_[gone_] = 1.0;
        known_->solve(gradient_.data(), inverse_.data());
        const double times = b[gone_] / inverse_[gone_];
        for (std::size_t k = 0; k < n_; ++k) at_[k] = b[k] - times * inverse_[k];
        at_[gone_] = 0.0;
        known_->sum_columns(at_.data(), eta_.data());
    }

    // The likelihood less the penalty; leaves the gradient.
    double evaluate(const Pack* ones, const Pack* totals) {
        Pack sum{};
        for (std::size_t p = 0; p < eta_.size(); ++p) {
            const Logistic at(eta_[p]);
            share_[p] = at.share;
            residual_[p] = at.residual(ones[p], totals[p]);
            sum += at.log_likelihood(ones[p], totals[p]);
        }
        double squares = 0.0;
        for (std::size_t k = 0; k < n_; ++k) {
            gradient_[k] = known_->weighted_sum(k, residual_.data());
            if (!k) continue;
            gradient_[k] -= 2 * known_->l2() * at_[k];
            squares += at_[k] * at_[k];
        }
        return total(sum) - known_->l2() * squares;
    }

    // The step, and what it does to every row; returns what it promises.
    double step() {
        gradient_[gone_] = 0.0;
        known_->solve(gradient_.data(), step_.data());
        const double times = step_[gone_] / inverse_[gone_];
        double promised = 0.0;
        for (std::size_t k = 0; k < n_; ++k) {
            step_[k] -= times * inverse_[k];
            promised += step_[k] * gradient_[k];
        }
        step_[gone_] = 0.0;
        known_->sum_columns(step_.data(), change_.data());
        return promised;
    }

    // What can be gained at most; without end where q is no probability.
    double divergence(const Pack* totals) const {
        Pack sum{};
        PackBits impossible{};
        for (std::size_t p = 0; p < eta_.size(); ++p) {
            const Pack p_one = share_[p], more = known_->variance(p) * change_[p], q = p_one + more;
            const PackBits has_samples = totals[p] > 0.0;
            impossible |= has_samples & ((q < 0.0) | (q > 1.0));
            const Pack distance = more * more / (p_one * (1.0 - p_one));
            sum += has_samples ? totals[p] * distance : Pack{};
        }
        for (std::size_t k = 0; k < kPack; ++k)
            if (impossible[k]) return HUGE_VAL;
        double squares = 0.0;
        for (std::size_t k = 1; k < n_; ++k) squares += step_[k] * step_[k];
        return total(sum) + known_->l2() * squares;
    }

    ScoreBound* known_ = nullptr;
    std::size_t n_ = 0, gone_ = 0;
    Buffer<double> at_, step_, inverse_, gradient_;
    Buffer<Pack> eta_, change_, share_, residual_;
};

}  // namespace markhood::MARKHOOD_TIER
