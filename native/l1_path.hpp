// The path of L1-penalised logistic regressions of a target on other variables.
//
//     maximise  L(b) - N lambda sum_j penalty_j |b_j|,   L(b) = sum over samples of  y eta - log(1 + exp(eta)),
//     eta = b_0 + sum_j b_j x_j,     for falling lambda, each from the one before
//
//     1. known variables: those ever near their bound |x_j' r| >= penalty_j N (2 lambda - lambda before), by the
//        strong rule, with r = y - p the residuals
//     2. maximise the quadratic model of L in the known variables (lasso.hpp), step there, halve the step while the
//        objective does not rise; again until the distance left is nothing, and so is what the point lacks of
//        being a maximum: x_j' r = +-penalty_j N lambda where b_j is not zero, no more than that where it is, sum r = 0
//     3. the others must be within their bounds |x_j' r| <= penalty_j N lambda; any that is not becomes known: 2
//
// The model's curvature may be old: from one lambda to the next it hardly changes, so the steps still shrink
// by a factor each, and the sums over all pairs of columns (most of the work otherwise) are computed
// anew only where that saves more steps than it costs. What it cannot change is where they end.
#pragma once
#include <cmath>

#include "lasso.hpp"
#include "words.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kDistanceLeft = 1e-9;  // of any coefficient from its value at the maximum, estimated
constexpr double kOffMaximum = 1e-8;    // of lambda: by so much a point may miss the conditions of a maximum
constexpr double kOnBound = 1e-9;       // relative; this near a bound is within
constexpr double kLostToRounding = 1e-13;  // relative, of the objective
constexpr int kMaxModels = 500;

class L1Path {
  public:
    double intercept = 0.0, log_likelihood = 0.0;
    Buffer<double> slopes;           // of the known variables, zeros among them
    Buffer<std::int64_t> variables;  // all candidates, the known ones first

    L1Path(BitRows rows, const double* penalties) : rows_(rows), penalties_(penalties) {}

    std::size_t n_known() const { return slopes.size(); }

    // Goes to the top of the path, where all slopes are zero. Returns the lambda there: 0 if nothing is associated.
    double begin(std::size_t target, const std::int64_t* candidates, std::size_t n) {
        const std::size_t ones = count(rows_.row(target), rows_.row(target));
        variables.resize(0);
        slopes.resize(0);
        double top = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t* row = rows_.row(index_of(candidates[k]));
            const std::size_t own = count(row, row);
            if (own == 0 || own == rows_.n_samples) continue;
            variables.push(candidates[k]);
            // N^2 times the covariance, in whole numbers: the top of the path is the same on every processor.
            const double covariance = static_cast<double>(count(row, rows_.row(target))) * n_samples() -
                                      static_cast<double>(own) * static_cast<double>(ones);
            top = std::fmax(top, std::fabs(covariance) / (n_samples() * n_samples() * penalties_[candidates[k]]));
        }
        const double one = static_cast<double>(ones), zero = n_samples() - one;
        intercept = std::log(one / zero);
        log_likelihood = 0.0;
        if (one > 0.0 && zero > 0.0)
            log_likelihood = one * std::log(one / n_samples()) + zero * std::log(zero / n_samples());
        lambda_ = top;
        if (top > 0.0) prepare(target);
        return top;
    }

    void descend_to(double lambda) {
        for (std::size_t k = n_known(); k < variables.size(); ++k)
            if (std::fabs(gradients_[k]) >= bound(k, 2.0 * lambda - lambda_)) make_known(k);
        lambda_ = lambda;
        for (bool violated = true; violated;) {
            maximise();
            columns_.sum(residuals_.data(), n_known(), variables.size(), gradients_.data());
            violated = false;
            for (std::size_t k = n_known(); k < variables.size(); ++k)
                if (std::fabs(gradients_[k]) > bound(k, lambda * (1.0 + kOnBound))) {
                    make_known(k);
                    violated = true;
                }
        }
    }

  private:
    double n_samples() const { return static_cast<double>(rows_.n_samples); }
    double bound(std::size_t k, double lambda) const { return n_samples() * lambda * penalties_[variables[k]]; }

    std::size_t count(const std::uint64_t* a, const std::uint64_t* b) const { return count_common(a, b, rows_.n_words); }

    void prepare(std::size_t target) {
        columns_.build(rows_, variables.data(), variables.size());
        const std::size_t n = columns_.n_packs();
        target_.resize(n);
        eta_.resize(n);
        residuals_.resize(n);
        weights_.resize(n);
        std::memset(target_.data(), 0, n * sizeof(Pack));
        for (std::size_t s = 0; s < rows_.n_samples; ++s)
            target_[s / kPack][s % kPack] = static_cast<double>((rows_.row(target)[s / 64] >> (s % 64)) & 1);
        gradients_.resize(columns_.padded());
        log_likelihood = evaluate(intercept, slopes.data());
        columns_.sum(residuals_.data(), 0, variables.size(), gradients_.data());
        model_.set_weights(weights_.data(), n);
    }

    void make_known(std::size_t k) {
        const std::size_t to = n_known();
        slopes.push(0.0);
        if (k == to) return;
        columns_.swap(k, to);
        const std::int64_t variable = variables[k];
        variables[k] = variables[to];
        variables[to] = variable;
        const double gradient = gradients_[k];
        gradients_[k] = gradients_[to];
        gradients_[to] = gradient;
    }

    void maximise() {
        const std::size_t n = n_known();
        bounds_.resize(n);
        trial_.resize(n);
        for (std::size_t k = 0; k < n; ++k) bounds_[k] = bound(k, lambda_);
        bool fresh = false;
        double size_before = 0.0;
        for (int iteration = 0; iteration < kMaxModels; ++iteration) {
            model_.take(columns_, n);
            const double size = model_.maximise(sum_of_residuals_, gradients_.data(), slopes.data(), bounds_.data());
            const double length = step(fresh);
            if (length > 0.0) columns_.sum(residuals_.data(), 0, n, gradients_.data());
            const double ratio = size / size_before;  // infinite or no number at first
            size_before = size;
            const bool near = !(size > kDistanceLeft) ||
                              (length == 1.0 && ratio < 0.5 && size * ratio / (1 - ratio) < kDistanceLeft);
            const bool no_nearer = fresh && ratio > 0.9;  // rounding: the top is flat
            if ((near || no_nearer) && !(off_maximum() > kOffMaximum)) break;
            if (length == 0.0 && fresh) break;  // rounding: no step goes up any more
            const double steps_left = std::log(kDistanceLeft / size) / std::log(ratio);
            fresh = length < 1.0 || (iteration > 0 && !(ratio < 0.9 && steps_left < 2.0 + static_cast<double>(n) / 16.0));
            if (fresh) model_.set_weights(weights_.data(), columns_.n_packs());
        }
    }

    // By how much of lambda the known variables and the intercept miss the conditions of a maximum. A small
    // distance is not enough: where lambda is small a gradient must be smaller.
    double off_maximum() const {
        double most = std::fabs(sum_of_residuals_) / (n_samples() * lambda_);
        for (std::size_t k = 0; k < n_known(); ++k) {
            const double off = slopes[k] == 0.0 ? std::fabs(gradients_[k]) - bounds_[k]
                                                : std::fabs(gradients_[k] - std::copysign(bounds_[k], slopes[k]));
            most = std::fmax(most, off / bounds_[k]);
        }
        return most;
    }

    // Goes to the model's maximum, or part of the way; returns which part. A model that is not fresh and
    // has led down is not worth a shorter step.
    double step(bool fresh) {
        const std::size_t n = n_known();
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

    // Returns L, and leaves residuals and weights behind; those of the padding are zero.
    double evaluate(double b0, const double* b) {
        columns_.combine(b0, b, n_known(), eta_.data());
        Pack sum{}, rest{};
        const std::size_t n_packs = columns_.n_packs();
        for (std::size_t p = 0; p < n_packs; ++p) {
            const Pack eta = eta_[p], y = target_[p];
            const PackBits positive = eta > 0.0;
            const Pack below = positive ? -eta : eta;
            const Pack e = exp_of_negative(below < -700.0 ? pack_of(-700.0) : below);
            const Pack larger = 1.0 / (1.0 + e), smaller = e * larger;
            Pack residual = y > 0.0 ? (positive ? smaller : larger) : (positive ? -larger : -smaller);
            Pack weight = larger * smaller;
            Pack likelihood = y * eta - (positive ? eta : Pack{}) - log_of_one_plus(e);
            if ((p + 1) * kPack > rows_.n_samples)
                for (std::size_t l = 0; l < kPack; ++l)
                    if (p * kPack + l >= rows_.n_samples) residual[l] = weight[l] = likelihood[l] = 0.0;
            residuals_[p] = residual;
            weights_[p] = weight;
            sum += likelihood;
            rest += residual;
        }
        sum_of_residuals_ = total(rest);
        return total(sum);
    }

    BitRows rows_;
    const double* penalties_;
    double lambda_ = 0.0, sum_of_residuals_ = 0.0;
    BitColumns columns_;
    Lasso model_;
    Buffer<Pack> target_, eta_, residuals_, weights_;
    Buffer<double> gradients_, bounds_, trial_;
};

static void l1_paths(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists candidates,
                     const double* penalties, const double* fractions, std::size_t n_fractions,
                     std::size_t largest_support, L1Fits fits) {
    L1Path path(rows, penalties);
    Buffer<std::int64_t> support;
    Buffer<double> slopes, slope_of;
    slope_of.resize(rows.n_rows);
    for (std::size_t t = 0, at = 0; t < n_targets; ++t) {
        const double top = path.begin(index_of(targets[t]), candidates.list(t), candidates.length(t));
        std::memset(slope_of.data(), 0, rows.n_rows * sizeof(double));
        double lambda = top;
        support.resize(0);
        for (std::size_t f = 0; f < n_fractions; ++f, ++at) {
            if (top > 0.0 && fractions[f] < 1.0 && support.size() <= largest_support) {
                lambda = top * fractions[f];
                path.descend_to(lambda);
            }
            for (std::size_t k = 0; k < path.n_known(); ++k) slope_of[index_of(path.variables[k])] = path.slopes[k];
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
            fits.sizes[at] = static_cast<std::int64_t>(support.size());
            fits.append(fits.owner, support.data(), slopes.data(), support.size());
        }
    }
}

}  // namespace markhood::MARKHOOD_TIER
