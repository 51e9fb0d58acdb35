// The one loop that maximises a log-likelihood L of any kind, less penalties: Newton's method with a convergence status.
//
//     maximise  L(b) - sum l1 |b_k| - sum precision_k b_k^2 / 2
//
// Repeat from `coefficients`:
//
//     1. *Gradient* g, from zero or from the coefficients of a neighbouring fit (warm start).
//     2. *Factorise* the curvature H (minus the second derivatives); or, while every step promises at most the share kChordContraction of
//        the one before, reuse the last factorisation (chord.hpp). Where a factorisation costs much more than products with H, solve by
//        conjugate gradients instead (conjugate_gradients.hpp).
//     3. *Direction* s = H^-1 g, which promises the gain g's; under an L1 penalty the best step of the quadratic model (l1_step.hpp).
//        Stop where the promised gain is negligible: converged, unless a coordinate without a pivot has a gradient.
//     4. *Separation certificate* (separation.hpp): where a step promises little, or goes very far, ask whether cells without samples
//        leave along it for ever. If so, continue without them: separated, and the supremum is the maximum over the other cells.
//     5. *Bound* (tilted_bound.hpp): stop where the step proves that no fit exceeds `floor`: stopped by a bound.
//     6. *Line search*: halve the step until its gain is the share kSufficientDecrease of what it promises.
//
// Any other end is not converged. `kernels/reference/newton.py` is the same loop in NumPy; README.md lists what a likelihood provides.
//
// **The last step needs no check.** Along a step no second derivative changes by more than a factor exp(+-spread), so after a whole
// step the next one would promise at most exp(s) ((exp(s) - 1 - s) / s)^2, about s^2/4, of it.
#pragma once
#include <cmath>
#include <stdexcept>

#include "fit/chord.hpp"
#include "fit/conjugate_gradients.hpp"
#include "fit/l1_step.hpp"
#include "fit/separation.hpp"
#include "fit/tilted_bound.hpp"

namespace markhood::MARKHOOD_TIER {

// How a fit ended.
enum class Status : unsigned char { kConverged, kSeparated, kBounded, kNotConverged };

template <class Likelihood>
class Newton {
  public:
    Buffer<double> coefficients;
    Buffer<double> precision;  // of the Gaussian prior of each coefficient, 0 for none
    Buffer<double> drift;      // the last steps, times the reach of their coordinates
    bool separated = false;
    bool is_exact = true;              // whether the last maximum was reached, or only bounded
    bool wants_coefficients = false;   // which take a last step that the likelihood does not show
    std::int64_t n_not_converged = 0;  // of all fits so far

    Status status() const {
        if (!is_exact) return Status::kBounded;
        if (left_over_ > kNotConvergedGain + kObjectiveRounding * std::fabs(reached_)) return Status::kNotConverged;
        return separated ? Status::kSeparated : Status::kConverged;
    }

    // Whether coefficients were on their way to infinity, certified or not: other fits do not start from there.
    bool is_far() const { return separated || largest_size(drift.data(), drift.size()) > kDivergingStep; }

    // Starts from `coefficients`, which the caller has set. Returns the likelihood less the penalties, l2 being that on a squared slope;
    // or, where it is seen not to exceed `floor`, a number between the two.
    double maximise(Likelihood& likelihood, double l1, double l2, double floor = -HUGE_VAL) {
        begin(likelihood, l1, l2);
        is_reusing_ = reuses(likelihood) && l1 == 0 && l2 == 0 && !wants_coefficients;
        if constexpr (kHasProducts) has_products_ = (is_reusing_ || (l2 > 0 && l1 == 0)) && likelihood.has_products();
        return climb(likelihood, true, floor);
    }

    // For Laplace's method: the maximum under the prior of `precision`, and `factor` the factorisation of the curvature there. Takes the
    // last step, and adds the half of its promise that it gains but for terms that are far smaller.
    double maximise_laplace(Likelihood& likelihood, double tolerance) {
        begin(likelihood, 0.0, 0.0);
        tolerance_ = tolerance;
        is_laplace_ = has_prior_ = is_correcting_ = true;
        is_reusing_ = reuses(likelihood);
        return climb(likelihood, true, -HUGE_VAL);
    }
    const Cholesky& factor() const { return curvature_; }
    Cholesky& factor() { return curvature_; }

    // Only factorises the curvature at `coefficients`, under the prior.
    void factorise(Likelihood& likelihood) {
        begin(likelihood, 0.0, 0.0);
        has_prior_ = true;
        evaluate(likelihood);
        differentiate(likelihood);
        solve(true);
    }

    // The maximum without coefficient j of a fit whose maximum is at `coefficients`, by chord steps with the factorisation of the
    // curvature there. Whether these steps contract: then `objective` is the maximum, or a number between it and `floor`.
    bool maximise_without(Likelihood& likelihood, std::size_t j, Cholesky& known, double l2, double floor, double& objective) {
        begin(likelihood, 0.0, l2);
        is_reusing_ = only_chords_ = true;
        chord_.begin(known, n_);
        chord_.hold(j, coefficients.data());
        objective = climb(likelihood, false, floor);
        only_chords_ = false;
        return status() != Status::kNotConverged;
    }

    // Takes for the next fit its curvature, (n, n), of the first n coefficients where it starts.
    void know_first(const double* curvature, std::size_t n) {
        known_ = curvature;
        n_known_ = n;
    }

    // Takes for the next fit all of its curvature at a point nearby, which is `distance` in log odds from `coefficients`.
    void know_near(const double* curvature, double distance) {
        near_ = curvature;
        distance_ = distance;
    }

    // Has the last maximum's coefficients end at a point that does not depend on rounding: takes the last step, or, where
    // the maximum is at infinity, starts from `coefficients`, which the caller has set by `restart`, and leaves those
    // under a weak penalty, and in `drift` how they would grow if it were e times smaller. `improve` may bring them near
    // once linear combinations, whose coefficients are zero, are known; it returns whether it does.
    template <class Restart, class Improve>
    void settle(Likelihood& likelihood, Restart restart, Improve improve) {
        if (!(separated && l1_ == 0 && !has_prior_)) {
            for (std::size_t k = 0; k < n_; ++k)
                if (!(std::fabs(drift[k]) > kDivergingStep)) coefficients[k] += drift[k] / likelihood.reach(k);
            return;
        }
        restart();
        likelihood.restore();
        begin(likelihood, 0.0, 0.0);
        separated = true;
        if constexpr (kHasProducts) has_products_ = likelihood.has_products();
        evaluate(likelihood);
        if (!has_products_) {
            differentiate(likelihood);
            solve(true);  // without the penalty, to find linear combinations
        }
        if (improve()) {
            for (std::size_t k = 0; !has_products_ && k < n_; ++k)
                if (!pivots_.is_usable(k)) coefficients[k] = 0.0;
            evaluate(likelihood);
        }
        set_prior(2 * kWeakRidge * likelihood.n_samples(), 2 * kInterceptRidge * likelihood.n_samples());
        const std::int64_t n_before = n_not_converged;
        is_reusing_ = is_correcting_ = reuses(likelihood);
        climb(likelihood, false, -HUGE_VAL);
        n_not_converged = n_before;
        bool first = has_products_;
        for (int last = 0; last < kFinalSteps; ++last) {
            direction(likelihood, first, false);
            likelihood.prepare(step_.data());
            attempt(likelihood, 1.0);
            accept(likelihood);
        }
        for (std::size_t k = 0; k < n_; ++k) trial_[k] = precision[k] * coefficients[k];
        if (!is_conjugate_ || !(solve_by_products(likelihood, trial_) > -HUGE_VAL)) {
            differentiate(likelihood);
            pivots_.decompose(curvature_, n_, is_conjugate_);
            curvature_.substitute(trial_.data(), step_.data());
        }
        for (std::size_t k = 0; k < n_; ++k) {
            const double growth = step_[k] * likelihood.reach(k);
            drift[k] = std::fabs(growth) > kDivergingGrowth ? growth : 0.0;
        }
    }

  private:
    static constexpr bool kCertifies = requires(Likelihood& l, const double* step) { l.propose_leaving(step); };
    static constexpr bool kHasProducts = requires(Likelihood& l) { l.has_products(); };
    static constexpr bool kBounds = requires(Likelihood& l, const double* g) { l.divergence(g, true); };
    static constexpr bool kPrepares = requires(Likelihood& l, const double* step) { l.prepare(step); };
    static constexpr bool kHasRoughSpread = requires(Likelihood& l, const double* step) { l.rough_spread(step); };
    static constexpr bool kReuses = requires(Likelihood& l, double* g) { l.differentiate(g); };
    static constexpr bool kKnowsFirst = requires(Likelihood& l, double* h) { l.differentiate_rest(h, h, h, 1); };
    static constexpr bool kBoundsChords = requires { Likelihood::kBoundsChords; };

    static bool reuses(const Likelihood& likelihood) {
        if constexpr (kReuses && requires { likelihood.has_costly_curvature(); }) return likelihood.has_costly_curvature();
        else return false;
    }

    void begin(const Likelihood& likelihood, double l1, double l2) {
        l1_ = l1;
        n_ = likelihood.n_parameters;
        n_thresholds_ = likelihood.n_thresholds;
        if (n_ > kMaxParameters) throw std::overflow_error("too many parameters");
        for (Buffer<double>* of_parameters : {&drift, &step_, &previous_, &trial_, &gradient_}) of_parameters->resize(n_);
        curvature_.resize(n_);
        has_prior_ = false;
        if (l2 > 0) set_prior(2 * l2, 0.0);
        separated = is_laplace_ = is_reusing_ = is_correcting_ = has_products_ = is_conjugate_ = false;
        is_exact = true;
        tolerance_ = kPromisedGain;
        chord_.drift = HUGE_VAL;
        std::memset(drift.data(), 0, n_ * sizeof(double));
        std::memset(step_.data(), 0, n_ * sizeof(double));
    }

    void set_prior(double of_slopes, double of_intercepts) {
        precision.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) precision[k] = k < n_thresholds_ ? of_intercepts : of_slopes;
        has_prior_ = true;
    }

    // The steps from `coefficients` to the maximum, which is returned.
    double climb(Likelihood& likelihood, bool first, double floor) {
        if (l1_ > 0 || has_prior_) floor = -HUGE_VAL;
        if (near_) start_near();
        double objective = evaluate(likelihood), ask_below = kCertificateGain;
        ask_beyond_ = kFarStep;
        double before = HUGE_VAL;  // promised by the last step
        bool has_moved = false;
        for (int iteration = 0, n_idle = 0; iteration < kMaxSteps; ++iteration) {  // n_idle: steps whose gain was rounding
            if (iteration % 8 == 7 || (iteration && n_ >= kManyParameters)) stop_if_asked();
            previous_.swap(step_);
            double promised = is_reusing_ && chord_.drift < kMaxChordDrift ? chord(likelihood, has_moved) : HUGE_VAL;  // 1
            double at_most = promised * std::exp(chord_.drift);  // promised by the curvature here
            const bool is_chord = contracts(at_most, before) && (kBoundsChords || is_correcting_ || objective + promised > floor);
            if (!is_chord) {
                if (only_chords_) return left_over_ = HUGE_VAL;
                promised = direction(likelihood, first, promised < HUGE_VAL);  // 2, 3
                chord_.drift = HUGE_VAL;
                if (drop_separated(likelihood, first, promised, ask_below)) {  // 4
                    first = true;  // predictors that only the dropped cells distinguish from others are linear combinations now
                    objective = evaluate(likelihood);
                    continue;
                }
                if (!is_conjugate_) chord_.begin(curvature_, n_);
                at_most = promised;
            }
            const double rounding = kObjectiveRounding * std::fabs(objective);
            const double unseen = is_reusing_ && !is_laplace_ && at_most < rounding ? rounding : 0.0;
            left_over_ = at_most;
            if (!(at_most > tolerance_) && !(is_laplace_ && is_chord)) {
                if (is_laplace_) {  // takes the step, whose gain is not evaluated
                    for (std::size_t k = 0; k < n_; ++k) coefficients[k] += step_[k];
                    left_over_ = 0.0;
                    objective += 0.5 * promised;
                } else if (!only_chords_ && l1_ == 0 && largest_size(gradient_.data(), n_) > kLostGradient) left_over_ = HUGE_VAL;
                break;
            }
            if (unseen > 0 && at_most > 0.5 * before) break;
            double longest = 0.0;
            if (is_bounded(likelihood, is_chord && !kBoundsChords ? -HUGE_VAL : floor, objective, promised, longest)) return bound_;  // 5
            bool is_whole = false;
            const double gained = line_search(likelihood, objective, promised, longest, unseen, is_chord, is_whole);  // 6
            has_moved = gained > -HUGE_VAL;
            if (!has_moved) {
                if (only_chords_) return left_over_ = HUGE_VAL;
                if (!is_chord) break;
                chord_.drift = HUGE_VAL;  // continue by the curvature here
                evaluate(likelihood);
                continue;
            }
            objective += gained;
            n_idle = promised < kNotConvergedGain && gained < kIdleShare * promised ? n_idle + 1 : 0;
            if (n_idle == kMaxIdle) break;
            const double spread = wants_coefficients || !is_whole ? HUGE_VAL : spread_of_step(likelihood);
            double next = HUGE_VAL;  // what the next step would promise
            if (is_chord && before < HUGE_VAL) next = at_most * at_most / before;
            const double inexact = is_conjugate_ ? kRoughTolerance * kRoughTolerance : 0.0;
            if (!is_chord && spread < kDivergingStep) next = (spread * spread + inexact) * promised;
            if (is_whole && !is_laplace_ && next < kPromisedGain) {
                left_over_ = next;
                break;
            }
            chord_.drift += is_correcting_ || only_chords_ ? 0.0 : spread;
            before = at_most;
        }
        if (!is_laplace_) keep(likelihood, step_.data());
        known_ = nullptr;
        reached_ = objective;
        n_not_converged += status() == Status::kNotConverged;
        return objective;
    }

    // Whether a chord step promises so much less than the step before that another is worth it.
    bool contracts(double promised, double before) const {
        if (is_laplace_ && !(promised > kLaplaceGain * tolerance_)) return false;
        return promised < (is_correcting_ || only_chords_ ? kPlainContraction : kChordContraction) * before;
    }

    // Has chord steps start by the curvature that is known from a larger model.
    void start_near() {
        std::memcpy(curvature_.data(), near_, n_ * n_ * sizeof(double));
        near_ = nullptr;
        pivots_.decompose(curvature_, n_, true);
        if (!pivots_.all_curved_usable) return;
        chord_.begin(curvature_, n_);
        chord_.drift = distance_;
    }

    // Sets the gradient and the step by the last factorisation; returns what it promises.
    double chord(Likelihood& likelihood, bool has_moved) {
        if constexpr (kReuses) {
            const bool corrects = is_correcting_ && has_moved;
            if (corrects) gradient_before_.copy(gradient_);
            likelihood.differentiate(gradient_.data());
            add_prior_gradient();
            if (corrects) chord_.correct(trial_.data(), coefficients.data(), gradient_before_.data(), gradient_.data());
        }
        return chord_.direction(gradient_.data(), step_.data());
    }

    // Sets gradient and step, the gradient unless it is known; returns what the step promises. By conjugate gradients where products with
    // the curvature are available.
    double direction(Likelihood& likelihood, bool& first, bool has_gradient) {
        if constexpr (kHasProducts)
            if (has_products_) {
                if (!has_gradient) {
                    likelihood.differentiate(gradient_.data());
                    add_prior_gradient();
                }
                const double promised = solve_by_products(likelihood, gradient_);
                is_conjugate_ = promised > -HUGE_VAL;
                if (is_conjugate_) return promised;
                has_gradient = true;
            }
        differentiate(likelihood, has_gradient);
        const double promised = solve(first);
        first = false;
        if (pivots_.any_lost) keep(likelihood, previous_.data());
        return l1_ > 0 ? l1_step_.solve(coefficients, gradient_, l1_, n_thresholds_, pivots_, step_.data()) : promised;
    }

    // Sets the step for a gradient, without a factorisation; returns the gain that it promises, or minus infinity where that takes too long.
    double solve_by_products(Likelihood& likelihood, const Buffer<double>& gradient) {
        if constexpr (kHasProducts) {
            const double tolerance = has_prior_ ? kFineTolerance : kRoughTolerance;
            return conjugate_.solve(likelihood, gradient.data(), has_prior_ ? precision.data() : nullptr, n_, tolerance, step_.data());
        }
        return -HUGE_VAL;
    }

    // Drops the cells that a step takes away for good, if it promises little; whether there are any.
    bool drop_separated(Likelihood& likelihood, bool& first, double& promised, double& ask_below) {
        if constexpr (kCertifies) {
            if (l1_ > 0 || has_prior_ || !(promised < ask_below || goes_far(likelihood))) return false;
            ask_below = kCertificateRetry * promised;
            if (!likelihood.propose_leaving(step_.data())) return false;
            if (certificate_.confirm(likelihood, step_, coefficients, gradient_, curvature_, has_products_ ? &conjugate_ : nullptr)) {
                ask_below = kCertificateGain;
                return separated = true;
            }
            promised = direction(likelihood, first, false);
        }
        return false;
    }

    // Whether the step goes much farther than those before that were tried for a certificate.
    bool goes_far(Likelihood& likelihood) {
        if constexpr (kHasRoughSpread) {
            const double spread = likelihood.rough_spread(step_.data());
            if (!(spread > ask_beyond_)) return false;
            ask_beyond_ = kFarStepGrowth * spread;
            return true;
        }
        return false;
    }

    // Prepares the step; whether it proves that no fit exceeds `floor`. A spread that needs no preparation is tried first.
    bool is_bounded(Likelihood& likelihood, double floor, double objective, double& promised, double& longest) {
        const bool can_bound = kBounds && floor > -HUGE_VAL;
        if constexpr (kHasRoughSpread) {
            const double spread = can_bound && pivots_.all_usable ? likelihood.rough_spread(step_.data()) : HUGE_VAL;
            if (spread < 1.0 && is_below(floor, objective + most_divergence(spread) * promised)) return true;
        }
        if constexpr (kPrepares) longest = likelihood.prepare(step_.data());
        else longest = largest_size(step_.data(), n_);
        if constexpr (kBounds)
            if (const bool has_sums = is_conjugate_ || only_chords_ || pivots_.all_usable;
                can_bound && is_below(floor, objective + likelihood.divergence(gradient_.data(), has_sums)))
                return !is_conjugate_ || is_bounded_exactly(likelihood, floor, objective, promised, longest);
        return false;
    }

    // The same with a step by more conjugate gradients, so exact that the bound holds.
    bool is_bounded_exactly(Likelihood& likelihood, double floor, double objective, double& promised, double& longest) {
        if constexpr (kHasProducts) {
            promised = std::fmax(promised, conjugate_.proceed(likelihood, nullptr, n_, kFineTolerance, step_.data()));
            longest = likelihood.prepare(step_.data());
            if (is_below(floor, objective + likelihood.divergence(gradient_.data(), false))) return true;
        }
        is_exact = true;
        return false;
    }

    // Goes along the step, less far or farther where that is better. Returns the gain, or minus infinity where there is none but for what
    // is unseen.
    double line_search(Likelihood& likelihood, double objective, double promised, double longest, double unseen, bool is_chord,
                       bool& is_whole) {
        double length = longest > kMaxStep ? kMaxStep / longest : 1.0, improved = -HUGE_VAL;
        is_whole = length == 1.0;
        int halving = 0;
        for (const int halvings = is_chord ? 1 : kMaxHalvings; halving < halvings; ++halving, length *= 0.5) {
            improved = attempt(likelihood, length);
            const double sufficient = promised > kSmallGain ? kSufficientDecrease * length * promised : 0.0;
            if (improved >= objective + (unseen > 0 ? -unseen : sufficient)) break;
            improved = is_chord ? -HUGE_VAL : improved;
        }
        if (!(improved >= objective - unseen)) return -HUGE_VAL;
        if (!is_whole && halving == 0) improved = lengthen(likelihood, longest, length, improved);
        is_whole = is_whole && halving == 0;
        accept(likelihood);
        return improved - objective;
    }

    // Goes further along a step that was cut, as long as that is better: a trial costs little compared with a step.
    double lengthen(Likelihood& likelihood, double longest, double length, double reached) {
        while (length < 1.0 && (has_prior_ || length * longest < kMaxLengthened)) {
            const double longer = 2 * length < 1.0 ? 2 * length : 1.0, further = attempt(likelihood, longer);
            if (!(further > reached)) {
                attempt(likelihood, length);
                break;
            }
            reached = further;
            length = longer;
        }
        return reached;
    }

    // Whether no fit exceeds `floor`, being `most` at most; `bound_` is then between the two.
    bool is_below(double floor, double most) {
        bound_ = most + kBoundRounding;
        is_exact = !(bound_ <= floor);
        return !is_exact;
    }

    double evaluate(Likelihood& likelihood) { return likelihood.evaluate(coefficients.data()) - penalty(coefficients.data()); }

    double attempt(Likelihood& likelihood, double length) {
        for (std::size_t k = 0; k < n_; ++k) trial_[k] = coefficients[k] + length * step_[k];
        if constexpr (kPrepares) return likelihood.attempt(trial_.data(), length) - penalty(trial_.data());
        else return likelihood.evaluate(trial_.data()) - penalty(trial_.data());
    }

    void accept(Likelihood& likelihood) {
        if constexpr (kPrepares) likelihood.accept();
        coefficients.swap(trial_);
    }

    double spread_of_step(Likelihood& likelihood) {
        if constexpr (kPrepares) return likelihood.spread(step_.data());
        else return HUGE_VAL;
    }

    double penalty(const double* b) const {
        double size = 0.0, squares = 0.0;
        for (std::size_t k = n_thresholds_; l1_ > 0 && k < n_; ++k) size += std::fabs(b[k]);
        for (std::size_t k = 0; has_prior_ && k < n_; ++k) squares += precision[k] * (b[k] * b[k]);
        return l1_ * size + 0.5 * squares;
    }

    // Sets gradient and curvature, the gradient unless it is known.
    void differentiate(Likelihood& likelihood, bool has_gradient = false) {
        const double* known = known_;
        known_ = nullptr;
        constexpr bool is_apart = requires { likelihood.curvature(curvature_.data()); };
        has_gradient = is_apart && has_gradient && !known;
        if constexpr (kKnowsFirst)
            if (known) likelihood.differentiate_rest(gradient_.data(), curvature_.data(), known, n_known_);
        if constexpr (is_apart)
            if (has_gradient) likelihood.curvature(curvature_.data());
        if (!has_gradient && !(kKnowsFirst && known)) likelihood.differentiate(gradient_.data(), curvature_.data());
        if (!has_gradient) add_prior_gradient();
        for (std::size_t k = 0; has_prior_ && k < n_; ++k) curvature_.data()[k * n_ + k] += precision[k];
    }

    void add_prior_gradient() {
        for (std::size_t k = 0; has_prior_ && k < n_; ++k) gradient_[k] -= precision[k] * coefficients[k];
    }

    // Factorises and sets the step; returns the gain that it promises.
    double solve(bool first) {
        if (l1_ > 0) l1_step_.set_curvature(curvature_);
        pivots_.decompose(curvature_, n_, first);
        return curvature_.substitute(gradient_.data(), step_.data());
    }

    // Records a step at the end, or one that will not come again.
    void keep(Likelihood& likelihood, const double* step) {
        if constexpr (requires { likelihood.reach(0); })
            for (std::size_t k = 0; k < n_; ++k) {
                const double reached = step[k] * likelihood.reach(k);
                if (std::fabs(reached) > std::fabs(drift[k])) drift[k] = reached;
            }
    }

    double l1_ = 0.0, bound_ = 0.0, distance_ = 0.0, tolerance_ = kPromisedGain;
    double ask_beyond_ = 0.0;                 // a step this long is tried for a certificate
    double left_over_ = 0.0, reached_ = 0.0;  // the gain promised at the end, and the objective there
    std::size_t n_ = 0, n_thresholds_ = 0, n_known_ = 0;
    bool has_prior_ = false, is_laplace_ = false, is_reusing_ = false, only_chords_ = false;
    bool is_correcting_ = false;  // chord steps by what the gradient did
    bool has_products_ = false, is_conjugate_ = false;  // whether steps, and the last one, are by conjugate gradients
    const double *known_ = nullptr, *near_ = nullptr;
    Chord chord_;
    ConjugateGradients conjugate_;
    L1Step l1_step_;
    Certificate certificate_;
    Pivots pivots_;
    Buffer<double> step_, previous_, trial_, gradient_, gradient_before_;
    Cholesky curvature_;
};

}  // namespace markhood::MARKHOOD_TIER
