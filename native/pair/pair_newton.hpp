// Maximum of the log-likelihood of a pair, or of one of its ends, less half of precision b^2 for every coefficient b.
//
// Repeat from `at`:
//
//     1. Gradient, and direction by the last factorisation of the curvature, if there is one (a *chord* step).
//     2. Factorise the curvature here unless the chord step promises less than kNearer of the step before it.
//     3. Stop when a direction by the curvature here promises `least_gain` at most: converged. Take this last step, and add the half of
//        the promise that it gains but for terms that are far smaller.
//     4. Line search: halve until the gain is sufficient (newton_fit.hpp).
//
// **Chord steps** are for likelihoods whose curvature takes ten times as long as a gradient (level_buckets.hpp): the curvature is
// then needed twice instead of four times, at the start and at the maximum, where its determinant is wanted. What the gradient
// did over the steps since the last factorisation corrects the direction (L-BFGS).
//
// A likelihood has
//
//     evaluate(b)        its value at b
//     gradient(g)        where it was evaluated last
//     curvature(H)       minus the second derivatives there, lower triangle of a Cholesky of the right size, all zero before
#pragma once
#include "fit/newton_fit.hpp"

namespace markhood::MARKHOOD_TIER {

class PairNewton {
  public:
    Buffer<double> at, precision;
    Cholesky factor;  // of the curvature at the maximum, with the precisions
    Status status = Status::kNotConverged;

    void resize(std::size_t n) {
        if (n > kMostParameters) throw std::overflow_error("too many parameters");
        for (Buffer<double>* of_parameters : {&at, &precision, &gradient_, &step_, &trial_}) of_parameters->resize(n);
        factor.resize(n);
    }

    template <class Likelihood>
    double maximise(Likelihood& likelihood, double least_gain, bool has_chords) {
        double reached = evaluate(likelihood, at.data()), before = 0.0;
        bool is_old = true, has_moved = false;
        status = Status::kNotConverged;
        for (int step = 0; step < kMaxSteps; ++step) {
            if (step % 8 == 7 || (step && at.size() >= kManyParameters)) stop_if_asked();
            if (has_chords && has_moved) gradient_before_.copy(gradient_);
            differentiate(likelihood);
            if (has_chords && has_moved) remember_change();
            double promised = has_chords && step ? direction() : HUGE_VAL;
            if (is_old && !(promised > kThere * least_gain && promised < kNearer * before)) {
                factorise(likelihood);
                promised = direction();
                is_old = false;
            }
            if (!is_old && !(promised > least_gain)) {
                for (std::size_t k = 0; k < at.size(); ++k) at[k] += step_[k];
                status = Status::kConverged;
                return reached + 0.5 * promised;
            }
            const double improved = line_search(likelihood, reached, promised, is_old ? 1 : kMaxHalvings);
            has_moved = improved > -HUGE_VAL;
            if (has_moved) {
                reached = improved;
                before = promised;
                is_old = true;
            } else if (is_old) {
                evaluate(likelihood, at.data());  // continue by the curvature here
                before = 0.0;
            } else {
                status = promised > kRoundedGain ? Status::kNotConverged : Status::kConverged;
                break;
            }
        }
        return reached;
    }

  private:
    // Chord steps go on while one promises less than kNearer of the one before; and, as they cost little, until one promises the share
    // kThere of what is asked for: the log determinant is then right to 1e-4.
    static constexpr double kNearer = 0.5, kThere = 0.005;
    static constexpr std::size_t kMostChanges = 8;

    template <class Likelihood>
    double evaluate(Likelihood& likelihood, const double* b) {
        double squares = 0.0;
        for (std::size_t k = 0; k < at.size(); ++k) squares += precision[k] * (b[k] * b[k]);
        return likelihood.evaluate(b) - 0.5 * squares;
    }

    template <class Likelihood>
    void differentiate(Likelihood& likelihood) {
        likelihood.gradient(gradient_.data());
        for (std::size_t k = 0; k < at.size(); ++k) gradient_[k] -= precision[k] * at[k];
    }

    template <class Likelihood>
    void factorise(Likelihood& likelihood) {
        const std::size_t n = at.size();
        likelihood.curvature(factor);
        for (std::size_t k = 0; k < n; ++k) factor.data()[k * n + k] += precision[k];
        factor.decompose([](std::size_t, double pivot, double diagonal) { return pivot > kSmallestPivot * diagonal && pivot > 0.0; });
        n_changes_ = 0;
    }

    // Sets the step; returns the gain that it promises, gradient times step.
    double direction() {
        const std::size_t n = at.size();
        double times[kMostChanges];
        if (!n_changes_) return factor.substitute(gradient_.data(), step_.data());
        rest_.copy(gradient_);
        for (std::size_t c = n_changes_; c-- > 0;) {
            times[c] = inverse_product_[c] * dot(moved_.data() + c * n, rest_.data(), n);
            for (std::size_t k = 0; k < n; ++k) rest_[k] -= times[c] * fell_[c * n + k];
        }
        factor.substitute(rest_.data(), step_.data());
        for (std::size_t c = 0; c < n_changes_; ++c) {
            const double known = inverse_product_[c] * dot(fell_.data() + c * n, step_.data(), n);
            for (std::size_t k = 0; k < n; ++k) step_[k] += (times[c] - known) * moved_[c * n + k];
        }
        return dot(gradient_.data(), step_.data(), n);
    }

    // Takes the step, or the first of its halves with a sufficient gain; returns the value there, or minus infinity.
    template <class Likelihood>
    double line_search(Likelihood& likelihood, double reached, double promised, int halvings) {
        const double longest = largest_size(step_.data(), step_.size());
        double length = longest > kLongestStep ? kLongestStep / longest : 1.0;
        for (int halving = 0; halving < halvings; ++halving, length *= 0.5) {
            for (std::size_t k = 0; k < at.size(); ++k) trial_[k] = at[k] + length * step_[k];
            const double improved = evaluate(likelihood, trial_.data());
            if (!(improved >= reached + sufficient_gain(promised, length))) continue;
            at.swap(trial_);
            return improved;
        }
        return -HUGE_VAL;
    }

    // The last step, and how much the gradient fell over it.
    void remember_change() {
        const std::size_t n = at.size();
        if (n_changes_ == kMostChanges) return;
        double *moved = moved_.resize((n_changes_ + 1) * n) + n_changes_ * n, *fell = fell_.resize((n_changes_ + 1) * n) + n_changes_ * n;
        for (std::size_t k = 0; k < n; ++k) {
            moved[k] = at[k] - trial_[k];  // trial_ is the point before
            fell[k] = gradient_before_[k] - gradient_[k];
        }
        const double product = dot(moved, fell, n);
        if (product > 0.0) inverse_product_[n_changes_++] = 1.0 / product;
    }

    std::size_t n_changes_ = 0;
    double inverse_product_[kMostChanges];
    Buffer<double> gradient_, step_, trial_, rest_, gradient_before_, moved_, fell_;
};

}  // namespace markhood::MARKHOOD_TIER
