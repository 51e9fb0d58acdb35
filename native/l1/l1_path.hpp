// The path of L1-penalised logistic regressions of a target on other variables.
//
//     maximise  L(b) - N lambda sum_j penalty_j |b_j|,   L(b) = sum over samples of  y eta - log(1 + exp(eta)),
//     eta = b_0 + sum_j b_j x_j,     for falling lambda, each from the one before
//
//     1. maximise the quadratic model of L in the known variables (lasso.hpp), step there, halve the step while the
//        objective does not rise; repeat until the point satisfies the conditions of a maximum: with the residuals r = y - p,
//        x_j' r = +-penalty_j N lambda where b_j is not zero, |x_j' r| at most that where it is, and sum r = 0
//     2. the others must be within their bounds |x_j' r| <= penalty_j N lambda; any that is not becomes known: 1
//
// The known variables are few, so step 1 goes through the patterns of the samples in them (patterns.hpp). Step 2 goes through all
// samples only for those variables whose change of x_j' r additive_part.hpp does not bound closely enough.
//
// The curvature of the model may be that of an earlier point: it hardly changes from one lambda to the next, so the steps still shrink
// by a factor each. The sums over all pairs of columns, most of the work otherwise, are computed again only where that saves more
// steps than it costs. The curvature does not change where the steps end.
//
// Real columns and variables without a penalty are known from the start, and at the top of the path they alone have slopes.
// Their bound is kFree instead of lambda, so that the slopes are finite where they separate the target.
#pragma once
#include <cmath>

#include "l1/additive_part.hpp"
#include "l1/lasso.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kDistanceLeft = 1e-9;  // of any coefficient from its value at the maximum, estimated
constexpr double kOffMaximum = 1e-8;    // of lambda: by so much a point may miss the conditions of a maximum
constexpr double kOffMaximumRounded = 1e-5;  // the same where rounding hides the gain of further steps
constexpr double kFree = 1e-6;          // penalty per sample of a slope that has none
constexpr std::int64_t kRealColumn = -1;  // instead of the number of a variable
constexpr double kOnBound = 1e-9;       // relative; this near a bound is within
constexpr std::size_t kManyKnown = 24;  // variables; about from then on hardly two samples have the same pattern
constexpr std::size_t kFewOfAll = 8;    // less than an eighth of all variables are summed one by one
constexpr double kLostToRounding = 1e-13;  // relative, of the objective

class L1Path {
  public:
    double intercept = 0.0, log_likelihood = 0.0;
    bool has_converged = true;   // since the top of the path
    Buffer<double> slopes;       // of the known columns, zeros among them
    Buffer<std::int64_t> known;  // kRealColumn for each real column, then variables

    L1Path(BitRows rows, const double* penalties, std::size_t most_steps)
        : rows_(rows), penalties_(penalties), most_steps_(most_steps), change_(rows) {
        columns_.build(rows);
        sums_.resize(columns_.padded());
        expected_of_samples_.resize(columns_.n_packs());
    }

    // Goes to the top of the path, where all slopes are zero. Returns the lambda there: 0 if nothing is associated.
    double begin(std::size_t target, const std::int64_t* candidates, std::size_t n) {
        const std::uint64_t* ones_of = rows_.row(target);
        const double n_ones = count(ones_of, ones_of), n_zeros = n_samples() - n_ones;
        known.resize(0);
        slopes.resize(0);
        for (std::size_t k = 0; k < rows_.reals.n; ++k) known.push(kRealColumn), slopes.push(0.0);
        unknown_.resize(0);
        has_converged = true;
        lambda_ = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t* row = rows_.row(index_of(candidates[k]));
            const double own = count(row, row), joint = count(row, ones_of), penalty = penalties_[candidates[k]];
            if (own == 0.0 || own == n_samples() || penalty == 0.0) continue;
            // N^2 times the covariance, in whole numbers: the top of the path is the same on every processor.
            const double covariance = joint * n_samples() - own * n_ones;
            lambda_ = std::fmax(lambda_, std::fabs(covariance) / (n_samples() * n_samples() * penalty));
            const double gradient = covariance / n_samples();
            unknown_.push({candidates[k], n_samples() * penalty, joint, gradient, gradient});
        }
        intercept = std::log(n_ones / n_zeros);
        log_likelihood = 0.0;
        if (n_ones > 0.0 && n_zeros > 0.0)
            log_likelihood = n_ones * std::log(n_ones / n_samples()) + n_zeros * std::log(n_zeros / n_samples());
        if (lambda_ > 0.0) prepare(target);
        return lambda_;
    }

    // The same with real columns or candidates without a penalty: these are fitted first.
    double begin_with_free(std::size_t target, const std::int64_t* candidates, std::size_t n) {
        begin(target, candidates, n);
        if (std::isinf(intercept)) return 0.0;
        prepare(target);
        lambda_ = 1.0;  // by which the maximum is judged
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t* row = rows_.row(index_of(candidates[k]));
            const double own = count(row, row);
            if (penalties_[candidates[k]] > 0.0 || own == 0.0 || own == n_samples()) continue;
            known.push(candidates[k]);
            slopes.push(0.0);
            split(index_of(candidates[k]));
        }
        maximise();
        patterns_.spread(expected_.data(), expected_of_samples_.data());
        look_at_all();
        lambda_ = 0.0;
        for (std::size_t k = 0; k < unknown_.size(); ++k)
            lambda_ = std::fmax(lambda_, std::fabs(unknown_[k].gradient) / unknown_[k].bound);
        return lambda_;
    }

    void descend_to(double lambda) {
        // The strong rule; but while samples have few patterns it is better to be wrong than to have one column too many.
        const double strong = 2.0 - lambda_ / lambda;
        lambda_ = lambda;
        make_known(known.size() > kManyKnown ? strong : 1.0);
        do {
            maximise();
            look_at_unknown();
        } while (make_known(1.0 + kOnBound));
    }

  private:
    struct Unknown {
        std::int64_t variable;
        double bound;     // at lambda = 1
        double joint;     // samples where it and the target are one
        double gradient;  // x'r, or so near it that it is on the same side of the bound
        double before;    // x'r when `expected_before_` was expected
    };

    double penalty_of(std::int64_t column) const { return column == kRealColumn ? 0.0 : penalties_[column]; }

    double n_samples() const { return static_cast<double>(rows_.n_samples); }

    double count(const std::uint64_t* a, const std::uint64_t* b) const {
        return static_cast<double>(count_common(a, b, rows_.n_words));
    }

    void prepare(std::size_t target) {
        patterns_.begin(rows_, target);
        expected_before_.resize(0);
        log_likelihood = evaluate(intercept, slopes.data());
        expected_before_.copy(expected_);
        change_.begin();
        model_.set_weights(weights_.data(), patterns_.n_packs());
        is_split_ = rows_.reals.n > 0;
    }

    // Adds the variables beyond a multiple of their bounds; returns whether there were any.
    bool make_known(double times) {
        const std::size_t had = known.size();
        for (std::size_t k = unknown_.size(); k-- > 0;) {
            if (!(std::fabs(unknown_[k].gradient) > times * lambda_ * unknown_[k].bound)) continue;
            known.push(unknown_[k].variable);
            slopes.push(0.0);
            split(index_of(unknown_[k].variable));
            unknown_[k] = unknown_[unknown_.size() - 1];
            unknown_.resize(unknown_.size() - 1);
        }
        return known.size() > had;
    }

    void split(std::size_t variable) {
        const std::size_t before = patterns_.size();
        patterns_.split(rows_.row(variable));
        change_.add(variable);
        model_.split(patterns_, before);
        widen(expected_before_, patterns_.n_packs());
        double* expected = reinterpret_cast<double*>(expected_before_.data());
        for (std::size_t p = before; p < patterns_.size(); ++p) expected[p] = expected[patterns_.parent(p)];
        is_split_ = true;
    }

    // Finds out which unknown variables are beyond their bounds.
    void look_at_unknown() {
        expected_changes_.resize(patterns_.n_packs());
        for (std::size_t p = 0; p < patterns_.n_packs(); ++p) expected_changes_[p] = expected_[p] - expected_before_[p];
        change_.take(patterns_, expected_changes_.data());
        unclear_.resize(0);
        for (std::size_t k = 0; k < unknown_.size(); ++k) {
            Unknown& one = unknown_[k];
            one.gradient = one.before - change_.sum_where(index_of(one.variable));
            const double beyond = std::fabs(one.gradient) - lambda_ * one.bound;
            if (std::fabs(beyond) <= change_.margin(index_of(one.variable)) + kOnBound * lambda_ * one.bound)
                unclear_.push(k);
        }
        if (!unclear_.size()) return;
        patterns_.spread(expected_.data(), expected_of_samples_.data());
        if (unclear_.size() * kFewOfAll > columns_.size()) return look_at_all();
        for (std::size_t k = 0; k < unclear_.size(); ++k) {
            Unknown& one = unknown_[unclear_[k]];
            const std::uint64_t* row = rows_.row(index_of(one.variable));
            one.gradient = one.joint - sum_where(row, words_for(rows_.n_samples), expected_of_samples_.data());
        }
    }

    void look_at_all() {
        columns_.sum(expected_of_samples_.data(), 0, columns_.size(), sums_.data());
        for (std::size_t k = 0; k < unknown_.size(); ++k) {
            Unknown& one = unknown_[k];
            one.gradient = one.before = one.joint - sums_[index_of(one.variable)];
        }
        expected_before_.copy(expected_);
    }

    // Takes Newton steps to the maximum in the known variables, most_steps_ at most.
    void maximise() {
        const std::size_t n = known.size();
        bounds_.resize(n);
        trial_.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const double penalty = penalty_of(known[k]);
            bounds_[k] = n_samples() * (penalty > 0.0 ? lambda_ * penalty : kFree);
        }
        if (is_split_) {
            evaluate(intercept, slopes.data());
            sum_residuals();
            is_split_ = false;
        }
        bool fresh = false;
        double size_before = 0.0;
        for (std::size_t iteration = 0;; ++iteration) {
            stop_if_asked();
            if (iteration == most_steps_) {
                has_converged = false;
                break;
            }
            model_.take(patterns_, n);
            const double size = model_.maximise(sum_of_residuals_, gradients_.data(), slopes.data(), bounds_.data());
            const double length = step(fresh);
            if (length > 0.0) sum_residuals();
            const double ratio = size / size_before;  // infinite or no number at first
            size_before = size;
            const bool near = !(size > kDistanceLeft) ||
                              (length == 1.0 && ratio < 0.5 && size * ratio / (1 - ratio) < kDistanceLeft);
            const bool no_nearer = fresh && ratio > 0.9;  // rounding: the top is flat
            if ((near || no_nearer) && !(off_maximum() > kOffMaximum)) break;
            if (length == 0.0 && fresh) {  // rounding: no step goes up any more
                has_converged = has_converged && !(off_maximum() > kOffMaximumRounded);
                break;
            }
            const double steps_left = std::log(kDistanceLeft / size) / std::log(ratio);
            fresh = length < 1.0 || (iteration > 0 && !(ratio < 0.9 && steps_left < 2.0 + static_cast<double>(n) / 16.0));
            if (fresh) model_.set_weights(weights_.data(), patterns_.n_packs());
        }
    }

    // By how much of lambda the known variables and the intercept miss the conditions of a maximum. A small
    // distance is not enough: where lambda is small a gradient must be smaller.
    double off_maximum() const {
        double most = std::fabs(sum_of_residuals_) / (n_samples() * lambda_);
        for (std::size_t k = 0; k < known.size(); ++k) {
            const double off = slopes[k] == 0.0 ? std::fabs(gradients_[k]) - bounds_[k]
                                                : std::fabs(gradients_[k] - std::copysign(bounds_[k], slopes[k]));
            most = std::fmax(most, off / (penalty_of(known[k]) > 0.0 ? bounds_[k] : n_samples() * lambda_));
        }
        return most;
    }

    // Goes to the model's maximum, or part of the way; returns which part. A model that is not fresh and
    // has led down is not worth a shorter step.
    double step(bool fresh) {
        const std::size_t n = known.size();
        double promised = sum_of_residuals_ * model_.intercept_step, penalty = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            promised += gradients_[k] * (model_.slopes[k] - slopes[k]);
            promised -= bounds_[k] * (std::fabs(model_.slopes[k]) - std::fabs(slopes[k]));
            penalty += bounds_[k] * std::fabs(slopes[k]);
        }
        const double objective = log_likelihood - penalty;
        for (double length = 1.0; length > 1e-6; length *= 0.5) {
            double penalised = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                trial_[k] = length == 1.0 ? model_.slopes[k] : slopes[k] + length * (model_.slopes[k] - slopes[k]);
                penalised += bounds_[k] * std::fabs(trial_[k]);
            }
            const double moved = intercept + length * model_.intercept_step;
            const double likelihood = evaluate(moved, trial_.data());
            if (likelihood - penalised >=
                objective + 0.01 * length * promised + kLostToRounding * (log_likelihood - penalty)) {
                intercept = moved;
                slopes.swap(trial_);
                log_likelihood = likelihood;
                return length;
            }
            if (!fresh) break;
        }
        evaluate(intercept, slopes.data());
        return 0.0;
    }

    void sum_residuals() {
        gradients_.resize(patterns_.padded());
        patterns_.sum(residuals_.data(), known.size(), gradients_.data());
    }

    // Returns L, and leaves expected shares, residuals and weights of the patterns behind.
    double evaluate(double b0, const double* b) {
        const std::size_t n_packs = patterns_.n_packs();
        eta_.resize(n_packs);
        expected_.resize(n_packs);
        residuals_.resize(n_packs);
        weights_.resize(n_packs);
        patterns_.combine(b0, b, known.size(), eta_.data());
        Pack sum{}, rest{};
        for (std::size_t p = 0; p < n_packs; ++p) {
            const Pack n = patterns_.counts[p], ones = patterns_.ones[p];
            const Logistic at(eta_[p]);
            expected_[p] = at.share;
            residuals_[p] = at.residual(ones, n);
            weights_[p] = n * at.variance();
            sum += at.log_likelihood(ones, n);
            rest += residuals_[p];
        }
        sum_of_residuals_ = total(rest);
        return total(sum);
    }

    BitRows rows_;
    const double* penalties_;
    std::size_t most_steps_;
    double lambda_ = 0.0, sum_of_residuals_ = 0.0;
    bool is_split_ = false;  // whether there are columns whose gradients were not computed yet
    BitColumns columns_;     // of all samples and variables
    Patterns patterns_;      // in the known variables
    Lasso model_;
    Buffer<Unknown> unknown_;
    AdditivePart change_;    // of the expected values, since expected_before_
    Buffer<std::size_t> unclear_;
    Buffer<Pack> eta_, expected_, expected_before_, expected_changes_, expected_of_samples_, residuals_, weights_;
    Buffer<double> gradients_, bounds_, trial_, sums_;
};

static void l1_paths(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists candidates,
                     const double* penalties, const double* fractions, std::size_t n_fractions,
                     std::size_t largest_support, std::size_t most_steps, L1Fits fits) {
    L1Path path(rows, penalties, most_steps);
    Buffer<std::int64_t> support;
    Buffer<double> slopes, slope_of;
    slope_of.resize(rows.n_rows);
    for (std::size_t t = 0, at = 0; t < n_targets; ++t) {
        const std::size_t target = index_of(targets[t]), n = candidates.length(t);
        bool any_free = rows.reals.n > 0;
        for (std::size_t k = 0; k < n; ++k) any_free = any_free || penalties[candidates.list(t)[k]] == 0.0;
        const double top = any_free ? path.begin_with_free(target, candidates.list(t), n)
                                    : path.begin(target, candidates.list(t), n);
        std::memset(slope_of.data(), 0, rows.n_rows * sizeof(double));
        double lambda = top;
        support.resize(0);
        for (std::size_t f = 0; f < n_fractions; ++f, ++at) {
            if (top > 0.0 && fractions[f] < 1.0 && support.size() <= largest_support) {
                lambda = top * fractions[f];
                path.descend_to(lambda);
            }
            for (std::size_t k = rows.reals.n; k < path.known.size(); ++k) slope_of[index_of(path.known[k])] = path.slopes[k];
            support.resize(0);
            slopes.resize(0);
            for (std::size_t v = 0; v < rows.n_rows; ++v) {
                if (slope_of[v] == 0.0) continue;
                support.push(static_cast<std::int64_t>(v));
                slopes.push(slope_of[v]);
            }
            fits.lambdas[at] = lambda;
            fits.intercepts[at] = path.intercept;
            fits.log_likelihoods[at] = path.log_likelihood;
            fits.converged[t] = path.has_converged;
            fits.sizes[at] = static_cast<std::int64_t>(support.size());
            fits.supports(support.data(), slopes.data(), support.size());
        }
    }
}

}  // namespace markhood::MARKHOOD_TIER
