// One loop that maximises the log-likelihood of any regression, less a penalty: Newton's method with a convergence status.
//
// Repeat from `coefficients`:
//
//     1. Gradient g and curvature H (minus the second derivatives). Reuse the last factorisation of H instead (a *chord* step) while each
//        step promises a tenth of the one before.
//     2. Direction s = H^-1 g by one Cholesky factorisation; g's is the gain that it promises. Stop when that is nothing: converged.
//     3. Stop when the step proves that no fit exceeds `floor`: stopped by a bound.
//     4. Where a step promises little but goes far, ask for a certificate of separation; if there is one, drop the cells that go
//        to infinity and continue without them: separated, and the supremum is the maximum over the other cells.
//     5. Line search: halve the step until the gain is the share kSufficientDecrease of what the gradient promises.
//
// A fit that ends in any other way is not converged, and `gradient_norm` says how far it is from a maximum.
// `kernels/reference/newton.py` is the same loop in NumPy.
//
// A likelihood L has coefficients without a penalty first, then slopes; no solver is in it:
//
//     n_parameters, n_thresholds
//     evaluate(b)               L at b
//     differentiate(g, H)       gradient and lower triangle of the curvature where L was evaluated last; differentiate(g) is the
//                               gradient alone, needed for chord steps; differentiate_rest(g, H, K, n) has the first n rows of H in K
//     prepare(step)             the largest change of a log odds along a step
//     attempt(trial, length)    L at trial, `length` of the prepared step away; accept() continues from there
//     spread(step)              the largest change of a difference of two log odds of a row along the prepared step
//     divergence(g, all)        KL(q, p) of the bound below; begin_sinking(), sink_negative(), end_sinking() drop cells from it
//     reach(k)                  the range of the predictor of coefficient k
//     propose_leaving(step), weigh_alike(), confirm_leaving(d, past), retract(), bring_back()     the certificate of separation
//     n_samples(), levels_seen()  total weight, and the number of target levels that occur
//     most_beside(), distance_beside()  what the fit of a larger model says about this one (see know_near)
//
// **The bound.** Let p be the model's probabilities and T the statistics that its parameters multiply. The step s gives
// q = p (1 + (T - E_p T)'s), which sums to one, has the sample means of T, and is a distribution where no factor is negative. By the
// duality of maximum likelihood and maximum entropy no model with these parameters has a higher likelihood than minus the entropy of
// q, which is L + KL(q, p). With m the largest -(T - E_p T)'s, KL(q, p) <= (1/2 + m/6 + m^2/3) g's, from the series of
// (1 + x) log(1 + x) - x. So a candidate that cannot win is recognised by its first step. Where a factor is negative in
// cells without samples, q is set to zero there and the step on the other cells is tried. A chord step bounds too: with p' where
// H was taken, q = p + p' (T - E_p' T)'s has the sample means.
//
// **The last step needs no check.** Along a step no second derivative changes by more than a factor exp(+-spread), so after a whole
// step the next one would promise at most exp(s) ((exp(s) - 1 - s) / s)^2, about s^2/4, of it.
//
// **Certificate of separation.** The maximum is at infinity where a direction d lowers cells without samples and leaves all others
// as they are; the supremum is then the maximum over the others. Steps towards it nearly are such directions. Subtracting what a
// step s does to the other cells makes it one: with H of these cells at equal weights, and U the coefficients that have a pivot in it,
// d = s - H_UU^-1 (H s)_U has H d = 0. Whether d leaves the cells with samples unchanged and raises no other cell is then checked
// in every cell. Cells dropped earlier are not held by anything, and a later step may raise them: then enough of the way so far,
// which lowered them, is added to d.
#pragma once
#include <cmath>
#include <stdexcept>

#include "fit/cholesky.hpp"

namespace markhood::MARKHOOD_TIER {

// When a fit stops.
constexpr double kPromisedGain = 1e-11;  // far below 1e-9, the least difference between two scores
constexpr double kLeftOver = 1e-8;       // a gain still promised at the end that makes a fit not converged
constexpr int kMaxSteps = 200;           // a fit that needs more is reported as not converged
// The line search.
constexpr double kSufficientDecrease = 0.1;  // share of the promised gain; any gain would let steps jump around the maximum forever
constexpr double kLongestStep = 5.0;         // in log odds: farther away all weights may vanish
constexpr double kFarthestStep = 16.0;       // in log odds, of a step that is still better when it is longer
constexpr int kMaxHalvings = 60;
constexpr double kRoundedGain = 1e-6;  // a promised gain below it is too near to rounding to ask a share of
constexpr double kNearly = 1e-8, kHardly = 0.01;  // a gain that may be rounding, and the share of it that is then kept
constexpr int kMostIdle = 3;                      // steps whose gain was rounding
constexpr double kUnseen = 1e-13, kHardlyLess = 0.5;  // of the likelihood, its rounding; of a promised gain, one that is no smaller
// The factorisation.
constexpr double kSmallestPivot = 1e-13;     // relative; below it a pivot is rounding
constexpr double kMuchNearer = 0.1;          // a chord step may promise this share of the step before it
constexpr double kFarOff = 3.0;              // in log odds: farther away an earlier factorisation does not help
constexpr std::size_t kManyParameters = 32;  // from which on a curvature costs many gradients
constexpr std::size_t kMostParameters = 4096;  // 128 MB of second derivatives
// Separation.
constexpr double kStillMoving = 0.05;  // a coefficient whose last step was longer than this, in log odds, goes to infinity
constexpr double kLittleGain = 0.1;    // promised by a step that may go to infinity
constexpr double kMuchLess = 1e-3;     // the share of that promise after which a certificate is asked for again
constexpr double kFarBelow = 20.0;     // below the highest level of its row, in log odds: a cell without influence on a step
constexpr double kSameSum = 1e-9;      // two sums over samples that differ by rounding
constexpr double kAlike = 1e-6;        // of the longest way that a cell goes: what rounding may be
constexpr int kMostRounds = 8;
constexpr double kNearlyAll = 0.999;  // fraction to the boundary where a tilted probability becomes zero
// Penalties.
constexpr int kMaxDescents = 1000;
constexpr double kWeak = 1e-9;         // on a squared slope, per sample: says where a separated fit ends
constexpr double kIntercepts = 1e-3;   // of that penalty, for a squared intercept
constexpr double kStillGrowing = 0.1;  // as a penalty falls by a factor e
constexpr int kLastSteps = 3;          // whole steps after the likelihood shows no difference any more

constexpr double kRounding = 1e-7;  // added to a bound: it must hold for what is computed

// The gain that a share `length` of a step must have. The last steps have nothing but rounding to ask for.
static inline double sufficient_gain(double promised, double length) {
    return promised > kRoundedGain ? kSufficientDecrease * length * promised : 0.0;
}

// KL(q, p) over the chi-squared distance of q from p, at most, where no q / p is less than 1 - m.
static inline double most_divergence(double m) { return 0.5 + m / 6.0 + m * m / 3.0; }

static inline double largest_size(const double* values, std::size_t n) {
    double found = 0.0;
    for (std::size_t k = 0; k < n; ++k) found = std::fabs(values[k]) > found ? std::fabs(values[k]) : found;
    return found;
}

// How a fit ended.
enum class Status : unsigned char { kConverged, kSeparated, kBounded, kNotConverged };

// Which pivots of a Cholesky decomposition are more than rounding. A combination of others is one from
// the first step on, and never has a pivot: later its own may be all rounding. Others lose theirs where all
// their samples are separated.
class Pivots {
  public:
    bool any_lost = false;  // in this decomposition, and not before

    // Begins a decomposition, the first of a fit or a later one.
    void begin(std::size_t n, bool first) {
        state_.resize(n);
        first_ = first;
        any_lost = false;
    }

    // Takes note of the k-th pivot, left of `diagonal`; whether it can be used.
    bool take(std::size_t k, double pivot, double diagonal) {
        const bool enough = pivot > kSmallestPivot * diagonal && pivot > 0.0;
        if (!first_ && state_[k] == kNever) return false;
        any_lost = any_lost || (!first_ && state_[k] == kUsable && !enough);
        state_[k] = enough ? kUsable : first_ ? kNever : kLost;
        return enough;
    }

    bool is_usable(std::size_t k) const { return state_[k] == kUsable; }

  private:
    enum State : unsigned char { kNever, kLost, kUsable };
    Buffer<State> state_;
    bool first_ = true;
};

enum class Leaving { kNone, kUnclear, kSome };

template <class Model>
class NewtonFit {
  public:
    Buffer<double> coefficients;
    Buffer<double> drift;  // the last steps, times the reach of their coordinates
    bool separated = false;
    bool is_exact = true;             // whether the last maximum was reached, or only bounded
    bool wants_coefficients = false;  // which take a last step that the likelihood does not show
    std::int64_t n_not_converged = 0;  // of all fits so far

    Status status() const {
        if (!is_exact) return Status::kBounded;
        if (left_over_ > kLeftOver + kUnseen * std::fabs(reached_)) return Status::kNotConverged;
        return separated ? Status::kSeparated : Status::kConverged;
    }
    double gradient_norm() const { return largest_size(gradient_.data(), gradient_.size()); }

    // Starts from `coefficients`, which the caller has set. Returns the likelihood less the penalty, or, where that is
    // seen not to exceed `floor`, a number between the two.
    double maximise(Model& model, double l1, double l2, double floor = -HUGE_VAL) {
        begin(model, l1, l2);
        const double objective = climb(model, true, floor);
        n_not_converged += status() == Status::kNotConverged;
        known_ = product_ = nullptr;
        return objective;
    }

    // Tells the next fit its second derivatives, (n, n), of the first n parameters where it starts.
    void know_first(const double* hessian, std::size_t n) {
        known_ = hessian;
        n_known_ = n;
    }

    // Tells the next fit all of its second derivatives at a place near by, and their product with where the maximum is by them: it
    // starts there if that is better than `coefficients`. Where the model has no bound for that, `coefficients` are there, at a known
    // distance in log odds.
    void know_near(const double* hessian, const double* product, double distance = 0.0) {
        distance_ = distance;
        known_ = hessian;
        product_ = product;
    }

    // Has the last maximum's coefficients end at a point that does not depend on rounding: takes the last step, or, where
    // the maximum is at infinity, starts from `coefficients`, which the caller has set by `restart`, and leaves those
    // under a weak penalty, and in `drift` how they would grow if it were e times smaller. (A constant leaves by its
    // intercepts alone, and its slopes are at rest.)
    template <class Restart>
    void settle(Model& model, Restart restart) {
        if (!(separated && l1_ == 0 && l2_ == 0 && model.levels_seen() > 1)) {
            for (std::size_t k = 0; k < n_; ++k)
                if (!(std::fabs(drift[k]) > kStillMoving)) coefficients[k] += drift[k] / model.reach(k);
            return;
        }
        restart();
        model.bring_back();
        begin(model, 0.0, 0.0);
        model.evaluate(coefficients.data());
        differentiate(model);
        solve(true);  // without the penalty, to see what is a combination of others
        l2_ = kWeak * model.n_samples();
        l2_of_intercepts_ = kIntercepts * l2_;
        climb(model, false, -HUGE_VAL);
        for (int last = 0; last < kLastSteps; ++last) {
            differentiate(model);
            solve(false);
            model.prepare(step_.data());
            attempt(model, 1.0);
            model.accept();
            coefficients.swap(trial_);
        }
        differentiate(model);
        rest_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) rest_[k] = 2 * squared(k) * coefficients[k];
        eliminate(rest_.data(), [&](std::size_t k, double, double) { return pivots_.is_usable(k); });
        for (std::size_t k = 0; k < n_; ++k) {
            const double growth = step_[k] * model.reach(k);
            drift[k] = std::fabs(growth) > kStillGrowing ? growth : 0.0;
        }
    }

  private:
    static constexpr bool kSinks = requires(Model& model) { model.begin_sinking(); };
    static constexpr bool kHasRoughSpread = requires(Model& model, const double* step) { model.rough_spread(step); };
    static constexpr bool kReuses = requires(Model& model, double* gradient) { model.differentiate(gradient); };
    static constexpr bool kBoundsChords = requires(Model& model) { model.most_beside(); };
    static constexpr std::size_t kLeastReused = kBoundsChords ? kManyParameters : 0;

    void begin(const Model& model, double l1, double l2) {
        l1_ = l1;
        l2_ = l2;
        l2_of_intercepts_ = 0.0;
        n_ = model.n_parameters;
        n_thresholds_ = model.n_thresholds;
        if (n_ > kMostParameters) throw std::overflow_error("too many parameters");
        for (Buffer<double>* of_parameters : {&drift, &step_, &previous_, &trial_, &gradient_})
            of_parameters->resize(n_);
        curvature_.resize(n_);
        separated = false;
        is_exact = true;
        std::memset(drift.data(), 0, n_ * sizeof(double));
        std::memset(step_.data(), 0, n_ * sizeof(double));
        reuses_ = kReuses && n_ >= kLeastReused && l1 == 0 && l2 == 0 && !wants_coefficients;
    }

    // Looks where the second derivatives lead that are known near by, and goes there if that is better: then `drifted` says how far
    // that is. Whether it is known from there that no fit exceeds `floor`.
    bool start_near(Model& model, double floor, double& drifted) {
        std::memcpy(curvature_.data(), known_, n_ * n_ * sizeof(double));
        std::memcpy(gradient_.data(), product_, n_ * sizeof(double));
        known_ = product_ = nullptr;
        solve(true);
        trial_.copy(step_);
        std::memset(step_.data(), 0, n_ * sizeof(double));
        if (!all_curved_usable_) return false;
        if constexpr (kBoundsChords) {
            const double reached = model.evaluate(trial_.data());
            if (floor > -HUGE_VAL && is_below(floor, model.most_beside())) return true;
            distance_ = model.distance_beside();
            if (!(reached > model.evaluate(coefficients.data()))) return false;
            coefficients.swap(trial_);
        }
        drifted = distance_;
        return false;
    }

    // The step by the decomposition that is there; returns what it promises.
    double chord(Model& model) {
        if constexpr (kReuses) model.differentiate(gradient_.data());
        return curvature_.substitute(gradient_.data(), step_.data());
    }

    // Newton's steps from `coefficients` to the maximum, which is returned.
    double climb(Model& model, bool first, double floor) {
        if (l1_ > 0 || l2_ > 0) floor = -HUGE_VAL;
        double drifted = HUGE_VAL;  // how far it is, in log odds, to where the decomposition that is there was made
        if constexpr (kReuses)
            if (product_ && start_near(model, floor, drifted)) return bound_;
        double objective = model.evaluate(coefficients.data()) - penalty(coefficients.data());
        double asked = kLittleGain;  // what a step promised when it was last asked whether cells leave
        double before = HUGE_VAL;  // what the last step promised
        int n_idle = 0;  // steps that did not keep what they promised: it was rounding
        for (int iteration = 0; iteration < kMaxSteps; ++iteration) {
            if (iteration % 8 == 7 || (iteration && n_ >= kManyParameters)) stop_if_asked();
            previous_.swap(step_);
            double promised = reuses_ && drifted < kFarOff ? chord(model) : HUGE_VAL;
            double at_most = promised * std::exp(drifted);  // promised by the second derivatives here
            const bool is_chord = at_most < kMuchNearer * before && (kBoundsChords || objective + promised > floor);
            if (!is_chord) {
                differentiate(model);
                promised = solve(first);
                if (pivots_.any_lost) keep(model, previous_.data());
                if (l1_ > 0) promised = descend();
                first = take_leave(model, promised, asked);
                if (first) {  // what only the gone told from other predictors is a combination of those now
                    objective = model.evaluate(coefficients.data());
                    drifted = HUGE_VAL;
                    continue;
                }
                drifted = 0.0;
                at_most = promised;
            }
            const double unseen = reuses_ && at_most < kUnseen * std::fabs(objective) ? kUnseen * std::fabs(objective) : 0.0;
            left_over_ = at_most;
            if (!(at_most > kPromisedGain) || (unseen > 0 && at_most > kHardlyLess * before)) break;
            double longest = 0.0, reached = objective;
            if (is_bounded(model, is_chord && !kBoundsChords ? -HUGE_VAL : floor, objective, promised, longest)) return bound_;
            bool is_whole = false;
            if (!advance(model, promised, longest, unseen, reached, is_whole)) break;
            n_idle = promised < kNearly && reached - objective < kHardly * promised ? n_idle + 1 : 0;
            objective = reached;
            if (n_idle == kMostIdle) break;
            const double spread = wants_coefficients || !is_whole ? HUGE_VAL : model.spread(step_.data());
            double next = HUGE_VAL;  // what the next step would promise
            if (is_chord && before < HUGE_VAL) next = at_most * at_most / before;
            else if (!is_chord && spread < kStillMoving) next = spread * spread * promised;
            if (is_whole && next < kPromisedGain) {
                left_over_ = next;
                break;
            }
            drifted += spread;
            before = at_most;
        }
        keep(model, step_.data());
        return reached_ = objective;
    }

    // Has cells leave that a step of second derivatives here takes away for good, if it promises little; whether there are any.
    bool take_leave(Model& model, double& promised, double& asked) {
        if (l1_ > 0 || l2_ > 0 || !(promised < asked)) return false;
        asked = kMuchLess * promised;
        if (!model.propose_leaving(step_.data())) return false;
        if (leave(model)) {
            asked = kLittleGain;
            return true;
        }
        differentiate(model);
        promised = solve(false);
        return false;
    }

    // Prepares the step; whether it tells that no fit exceeds `floor`. A spread that needs no preparation is asked first.
    bool is_bounded(Model& model, double floor, double objective, double promised, double& longest) {
        const bool can_bound = floor > -HUGE_VAL;
        if constexpr (kHasRoughSpread) {
            const double spread = can_bound && all_usable_ ? model.rough_spread(step_.data()) : HUGE_VAL;
            if (spread < 1.0 && is_below(floor, objective + most_divergence(spread) * promised)) return true;
        }
        longest = model.prepare(step_.data());
        if (can_bound && is_below(floor, objective + model.divergence(gradient_.data(), all_usable_))) return true;
        if constexpr (kSinks) {
            if (can_bound && objective + promised < floor) {
                if (is_below_without_sunk(model, floor)) return true;
                longest = model.prepare(step_.data());
            }
        }
        return false;
    }

    // Goes along the prepared step, less far or farther where that is better; whether it goes up, but for what is unseen.
    bool advance(Model& model, double promised, double longest, double unseen, double& objective, bool& is_whole) {
        double length = longest > kLongestStep ? kLongestStep / longest : 1.0, improved = -HUGE_VAL;
        is_whole = length == 1.0;
        int halving = 0;
        for (; halving < kMaxHalvings; ++halving, length *= 0.5)
            if ((improved = attempt(model, length)) >= objective + (unseen > 0 ? -unseen : sufficient_gain(promised, length))) break;
        if (!(improved >= objective - unseen)) return false;  // rounding: no step goes up any more
        if (!is_whole && halving == 0) improved = lengthen(model, longest, length, improved);
        is_whole = is_whole && halving == 0;
        if (is_whole && promised < kLittleGain && longest > kStillMoving) {
            const double further = attempt(model, kLongestStep / longest);
            is_whole = !(further > improved);
            if (is_whole) attempt(model, length);
            else improved = further;
        }
        model.accept();
        coefficients.swap(trial_);
        objective = improved;
        return true;
    }

    // Goes further in the direction of a step that was cut, as long as that is better: a try costs little beside a step.
    double lengthen(Model& model, double longest, double length, double reached) {
        while (length < 1.0 && length * longest < kFarthestStep) {
            const double longer = 2 * length < 1.0 ? 2 * length : 1.0, further = attempt(model, longer);
            if (!(further > reached)) {
                attempt(model, length);
                break;
            }
            reached = further;
            length = longer;
        }
        return reached;
    }

    // Takes away the proposed cells that leave in the direction of the step; whether there are any that surely do.
    bool leave(Model& model) {
        trial_.copy(step_);
        for (int round = 0; round < kMostRounds; ++round) {
            take_off_what_stays(model);
            const Leaving found = model.confirm_leaving(step_.data(), past_.data());
            separated = separated || found == Leaving::kSome;
            if (found != Leaving::kUnclear) return found == Leaving::kSome;
        }
        model.retract();
        return false;
    }

    // Sets step_ to what is left of trial_, and past_ to what is left of the way here, without what they do to the cells
    // that are not proposed.
    void take_off_what_stays(Model& model) {
        model.weigh_alike();
        model.differentiate(gradient_.data(), curvature_.data());
        rest_.resize(n_);
        rest_of_past_.resize(n_);
        past_.resize(n_);
        curvature_.multiply(trial_.data(), rest_.data());
        curvature_.multiply(coefficients.data(), rest_of_past_.data());
        Pivots pivots;
        pivots.begin(n_, true);
        curvature_.decompose([&](std::size_t k, double pivot, double diagonal) { return pivots.take(k, pivot, diagonal); });
        curvature_.substitute(rest_.data(), step_.data());
        curvature_.substitute(rest_of_past_.data(), past_.data());
        for (std::size_t k = 0; k < n_; ++k) {
            step_[k] = trial_[k] - step_[k];
            past_[k] = coefficients[k] - past_[k];
        }
    }

    // The penalty on the square of a coefficient.
    double squared(std::size_t k) const { return k < n_thresholds_ ? l2_of_intercepts_ : l2_; }

    // Whether the tilted probabilities tell that no fit exceeds `floor` once they are nothing where they were negative. If not,
    // the step and the decomposition are what they were.
    bool is_below_without_sunk(Model& model, double floor) {
        model.begin_sinking();
        without_sunk_.resize(n_);
        rest_.resize(n_);
        sunk_step_.resize(n_);
        for (int round = 0; round < kMostRounds && model.sink_negative(); ++round) {
            const double objective = model.evaluate(coefficients.data());
            model.differentiate(rest_.data(), without_sunk_.data());
            Pivots pivots;
            pivots.begin(n_, true);
            without_sunk_.decompose([&](std::size_t k, double pivot, double diagonal) { return pivots.take(k, pivot, diagonal); });
            without_sunk_.substitute(rest_.data(), sunk_step_.data());
            model.prepare(sunk_step_.data());
            if (is_below(floor, objective + model.divergence(rest_.data(), false))) return true;
        }
        model.end_sinking();
        return false;
    }

    // Whether no fit exceeds `floor`, being `most` at most; then `bound_` is between the two.
    bool is_below(double floor, double most) {
        bound_ = most + kRounding;
        is_exact = !(bound_ <= floor);
        return !is_exact;
    }

    double attempt(Model& model, double length) {
        for (std::size_t k = 0; k < n_; ++k) trial_[k] = coefficients[k] + length * step_[k];
        return model.attempt(trial_.data(), length) - penalty(trial_.data());
    }

    double penalty(const double* b) const {
        double size = 0.0, squares = 0.0;
        if (l1_ == 0 && l2_ == 0) return 0.0;
        for (std::size_t k = n_thresholds_; k < n_; ++k) size += std::fabs(b[k]);
        for (std::size_t k = 0; k < n_; ++k) squares += squared(k) * b[k] * b[k];
        return l1_ * size + squares;
    }

    void differentiate(Model& model) {
        if constexpr (kReuses) {
            if (known_) model.differentiate_rest(gradient_.data(), curvature_.data(), known_, n_known_);
            else model.differentiate(gradient_.data(), curvature_.data());
            known_ = nullptr;
        } else {
            model.differentiate(gradient_.data(), curvature_.data());
        }
        for (std::size_t k = 0; k < n_; ++k) {
            gradient_[k] -= 2 * squared(k) * coefficients[k];
            curvature_.data()[k * n_ + k] += 2 * squared(k);
        }
    }

    // The Newton step; returns the gain it promises. With an L1 penalty only the pivots are wanted, and H is
    // kept for the descent.
    double solve(bool first) {
        if (l1_ > 0) {
            full_.resize(n_ * n_);
            std::memcpy(full_.data(), curvature_.data(), n_ * n_ * sizeof(double));
        }
        pivots_.begin(n_, first);
        all_usable_ = all_curved_usable_ = true;
        return eliminate(gradient_.data(), [&](std::size_t k, double pivot, double diagonal) {
            const bool usable = pivots_.take(k, pivot, diagonal);
            all_usable_ = all_usable_ && usable;
            all_curved_usable_ = all_curved_usable_ && (usable || diagonal == 0);
            return usable;
        });
    }

    // step_ = H^-1 right, leaving out coordinates that are not usable. Returns right times step_.
    template <class IsUsable>
    double eliminate(const double* right, IsUsable is_usable) {
        curvature_.decompose(is_usable);
        return curvature_.substitute(right, step_.data());
    }

    // Sets step_ to the Newton step of the slopes that are not zero or should not be, all keeping their signs.
    void step_in_orthant() {
        std::memcpy(curvature_.data(), full_.data(), n_ * n_ * sizeof(double));
        rest_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) {
            const double sign = coefficients[k] != 0 ? coefficients[k] : gradient_[k];
            rest_[k] = k < n_thresholds_ ? gradient_[k] : gradient_[k] - std::copysign(l1_, sign);
        }
        eliminate(rest_.data(), [&](std::size_t k, double pivot, double diagonal) {
            const bool is_free = k < n_thresholds_ || coefficients[k] != 0 || std::fabs(gradient_[k]) > l1_;
            return is_free && pivots_.is_usable(k) && pivot > kSmallestPivot * diagonal;
        });
    }

    // The best step under the L1 penalty, by coordinate descent from the best that changes no sign; returns the
    // gain it promises.
    double descend() {
        step_in_orthant();
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t l = k + 1; l < n_; ++l) full_[k * n_ + l] = full_[l * n_ + k];
        for (std::size_t k = 0; k < n_; ++k) rest_[k] = gradient_[k] - dot(full_.data() + k * n_, step_.data(), n_);
        for (int round = 0; round < kMaxDescents; ++round) {
            double moved = 0.0;
            for (std::size_t k = 0; k < n_; ++k) {
                const double curvature = full_[k * n_ + k];
                if (!(curvature > 0)) continue;  // a combination of others may be the cheaper one
                const double at = coefficients[k] + step_[k], aim = at + rest_[k] / curvature;
                const double size = std::fabs(aim) - (k < n_thresholds_ ? 0.0 : l1_) / curvature;
                const double change = (size > 0 ? std::copysign(size, aim) : 0.0) - at;
                if (change == 0.0) continue;
                for (std::size_t l = 0; l < n_; ++l) rest_[l] -= full_[k * n_ + l] * change;
                step_[k] += change;
                moved = curvature * change * change > moved ? curvature * change * change : moved;
            }
            if (moved < kPromisedGain * 1e-3) break;
        }
        double gain = 0.0;
        for (std::size_t k = 0; k < n_; ++k) {
            gain += step_[k] * (gradient_[k] + rest_[k]) / 2;
            if (k >= n_thresholds_) gain -= l1_ * (std::fabs(coefficients[k] + step_[k]) - std::fabs(coefficients[k]));
        }
        return gain;
    }

    // Takes note of a step at the end, or one that will not come again.
    void keep(Model& model, const double* step) {
        for (std::size_t k = 0; k < n_; ++k) {
            const double reached = step[k] * model.reach(k);
            if (std::fabs(reached) > std::fabs(drift[k])) drift[k] = reached;
        }
    }

    double l1_ = 0.0, l2_ = 0.0, l2_of_intercepts_ = 0.0, bound_ = 0.0, distance_ = 0.0;
    double left_over_ = 0.0, reached_ = 0.0;  // the gain promised at the end, and the objective there
    std::size_t n_ = 0, n_thresholds_ = 0;
    bool all_usable_ = true, all_curved_usable_ = true;  // all pivots, and all of coordinates with second derivatives
    bool reuses_ = false;
    const double *known_ = nullptr, *product_ = nullptr;
    std::size_t n_known_ = 0;
    Pivots pivots_;
    Buffer<double> step_, previous_, trial_, gradient_, full_, rest_, past_, rest_of_past_;
    Buffer<double> sunk_step_;
    Cholesky curvature_, without_sunk_;  // minus the second derivatives
};

}  // namespace markhood::MARKHOOD_TIER
