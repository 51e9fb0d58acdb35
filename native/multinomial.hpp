// Multinomial logistic regression on a table, by Newton's method.
//
// `kernels/reference/multinomial.py` has the definition and explains the steps. A row of the table is a
// configuration of indicators, most of them zero: only those that are one are listed, and a row adds to
// the gradient and to the Hessian where these meet.
#pragma once
#include <cmath>
#include <stdexcept>

#include "newton.hpp"
#include "packs.hpp"
#include "saturated.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kLittleGain = 0.1;
constexpr int kMaxDescents = 1000;
constexpr double kWeak = 1e-9;  // penalty on a squared slope, for every sample, that says where a separated fit ends
constexpr double kIntercepts = 1e-3;  // of that penalty, for a squared intercept
constexpr double kStillGrowing = 0.1;  // as a penalty falls by a factor e
constexpr int kLastSteps = 3;   // whole steps after L tells no difference any more
constexpr std::size_t kMostParameters = 4096;  // 128 MB of second derivatives

class MultinomialFit {
  public:
    Buffer<double> coefficients;  // (n_predictors, n_levels - 1), the intercepts first
    Buffer<double> drift;
    bool separated = false;

    // Starts from `coefficients`, which the caller has set. Returns the likelihood less the penalty.
    double maximise(Design design, double l1, double l2) {
        begin(design, l1, l2);
        is_saturated_ = l1 == 0 && l2 == 0 && saturated_.applies_to(design);
        if (is_saturated_) return saturated_.fit(coefficients.data(), drift.data(), separated);
        allocate();
        const double objective = climb(true);
        return separated && l1_ == 0 && l2_ == 0 ? supremum() : objective;
    }

    // Whether the last maximum is at infinity, and no formula says where its coefficients end. (A constant leaves by
    // its intercepts alone, and its slopes are at rest.)
    bool has_no_end() const { return separated && !is_saturated_ && l1_ == 0 && l2_ == 0 && levels_seen() > 1; }
    bool is_saturated() const { return is_saturated_; }

    // Leaves the coefficients under a weak penalty, and in `drift` how they would grow if it were e times
    // smaller. Starts from `coefficients`, which the caller has set.
    void settle(Design design) {
        begin(design, 0.0, 0.0);
        allocate();
        evaluate(coefficients.data());
        differentiate();
        solve(true);  // without the penalty, to see what is a combination of others
        for (std::size_t r = 0; r < design_.n_rows; ++r) l2_ += kWeak * total_[r];
        l2_of_intercepts_ = kIntercepts * l2_;
        climb(false);
        for (int last = 0; last < kLastSteps; ++last) {
            differentiate();
            solve(false);
            attempt(1.0);
            coefficients.swap(trial_);
        }
        differentiate();
        rest_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) rest_[k] = 2 * squared(k) * coefficients[k];
        eliminate(rest_.data(), [&](std::size_t k, double, double) { return pivots_.is_usable(k); });
        for (std::size_t k = 0; k < n_; ++k) drift[k] = std::fabs(step_[k]) > kStillGrowing ? step_[k] : 0.0;
    }

  private:
    void begin(Design design, double l1, double l2) {
        design_ = design;
        l1_ = l1;
        l2_ = l2;
        l2_of_intercepts_ = 0.0;
        slopes_ = design.n_levels - 1;
        n_ = design.n_predictors * slopes_;
        separated = false;
        drift.resize(n_);
    }

    std::size_t levels_seen() const {
        std::size_t n = 0;
        for (std::size_t k = 0; k < design_.n_levels; ++k) {
            double total = 0.0;
            for (std::size_t r = 0; r < design_.n_rows; ++r) total += design_.counts[r * design_.n_levels + k];
            n += total > 0;
        }
        return n;
    }

    // The penalty on the square of a coefficient.
    double squared(std::size_t k) const { return k < slopes_ ? l2_of_intercepts_ : l2_; }

    // Newton's steps from `coefficients` to the maximum, which is returned.
    double climb(bool first) {
        double objective = evaluate(coefficients.data());
        for (int iteration = 0; iteration < kMaxSteps; ++iteration, first = false) {
            differentiate();
            previous_.swap(step_);
            double promised = solve(first);
            if (pivots_.any_lost) keep(previous_.data());
            if (l1_ > 0) promised = descend();
            if (!(promised > kPromisedGain)) break;
            const double longest = largest_size(step_.data(), n_);
            double length = longest > kLongestStep ? kLongestStep / longest : 1.0, improved = -HUGE_VAL;
            const bool is_whole = length == 1.0;
            int halving = 0;
            for (; halving < kMaxHalvings; ++halving, length *= 0.5)
                if ((improved = attempt(length)) >= objective) break;
            if (!(improved >= objective)) break;  // rounding: no step goes up any more
            if (is_whole && halving == 0 && promised < kLittleGain && longest > kStillMoving) {
                const double further = attempt(kLongestStep / longest);
                if (!(further > improved)) attempt(length);
                else improved = further;
            }
            coefficients.swap(trial_);
            objective = improved;
        }
        keep(step_.data());
        return objective;
    }

    void allocate() {
        if (n_ > kMostParameters) throw std::overflow_error("too many parameters");
        const std::size_t cells = design_.n_rows * design_.n_levels;
        for (Buffer<double>* of_cells : {&eta_, &power_}) of_cells->resize((cells + kPack - 1) / kPack * kPack);
        sum_.resize(design_.n_rows);
        total_.resize(design_.n_rows);
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            total_[r] = 0.0;
            for (std::size_t k = 0; k < design_.n_levels; ++k) total_[r] += design_.counts[r * design_.n_levels + k];
        }
        for (Buffer<double>* of_parameters : {&step_, &previous_, &trial_, &gradient_})
            of_parameters->resize(n_);
        hessian_.resize(n_ * n_);
        block_.resize(slopes_ * slopes_);
        residual_.resize(slopes_);
        std::memset(drift.data(), 0, n_ * sizeof(double));
        std::memset(step_.data(), 0, n_ * sizeof(double));
    }

    // to[r, k] = sum over the row's predictors u of b[u, k - 1], and to[r, 0] = 0.
    void linear(const double* b, double* to) const {
        for (std::size_t r = 0; r < design_.n_rows; ++r, to += design_.n_levels) {
            to[0] = 0.0;
            for (std::size_t k = 0; k < slopes_; ++k) to[k + 1] = b[k];
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a) {
                const double* row = b + design_.active[a] * slopes_;
                for (std::size_t k = 0; k < slopes_; ++k) to[k + 1] += row[k];
            }
        }
    }

    double attempt(double length) {
        for (std::size_t k = 0; k < n_; ++k) trial_[k] = coefficients[k] + length * step_[k];
        return evaluate(trial_.data());
    }

    // Leaves power_ = exp(eta - largest of the row) and sum_, their sums.
    double evaluate(const double* b) {
        linear(b, eta_.data());
        const std::size_t levels = design_.n_levels;
        double likelihood = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            double* eta = eta_.data() + r * levels;
            double highest = eta[0];
            for (std::size_t k = 1; k < levels; ++k) highest = eta[k] > highest ? eta[k] : highest;
            for (std::size_t k = 0; k < levels; ++k) {
                eta[k] -= highest;
                likelihood += design_.counts[r * levels + k] * eta[k];
                eta[k] = eta[k] < -700.0 ? -700.0 : eta[k];
            }
        }
        for (std::size_t c = design_.n_rows * levels; c < eta_.size(); ++c) eta_[c] = 0.0;
        for (std::size_t c = 0; c < eta_.size(); c += kPack) {
            Pack x;
            std::memcpy(&x, eta_.data() + c, sizeof(Pack));
            x = exp_of_negative(x);
            std::memcpy(power_.data() + c, &x, sizeof(Pack));
        }
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            sum_[r] = 0.0;
            for (std::size_t k = 0; k < levels; ++k) sum_[r] += power_[r * levels + k];
            likelihood -= total_[r] * std::log(sum_[r]);
        }
        double size = 0.0, squares = 0.0;
        if (l1_ > 0 || l2_ > 0) {
            for (std::size_t k = slopes_; k < n_; ++k) size += std::fabs(b[k]);
            for (std::size_t k = 0; k < n_; ++k) squares += squared(k) * b[k] * b[k];
        }
        return likelihood - l1_ * size - squares;
    }

    // The gradient and the lower triangle of H at the last evaluated coefficients, which are `coefficients`.
    void differentiate() {
        std::memset(gradient_.data(), 0, n_ * sizeof(double));
        std::memset(hessian_.data(), 0, n_ * n_ * sizeof(double));
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            weigh(r);
            add_row(0, r, design_.starts[r]);
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a) add_row(design_.active[a], r, a + 1);
        }
        for (std::size_t k = 0; k < n_; ++k) {
            gradient_[k] -= 2 * squared(k) * coefficients[k];
            hessian_[k * n_ + k] += 2 * squared(k);
        }
    }

    // residual_ = n - N p and block_ = N (diag p - p p') of a row, without the first level. 1 - p is a sum, and the
    // residual n (1 - p) - (N - n) p: differences would be nothing where p is nearly one.
    void weigh(std::size_t r) {
        const double* p = power_.data() + r * design_.n_levels;
        const double scale = 1.0 / sum_[r], all = total_[r];
        for (std::size_t k = 0; k < slopes_; ++k) {
            const double n = design_.counts[r * design_.n_levels + k + 1], p_k = p[k + 1] * scale;
            double others = p[0];
            for (std::size_t l = 0; l < slopes_; ++l) {
                others += l == k ? 0.0 : p[l + 1];
                block_[k * slopes_ + l] = -all * p_k * p[l + 1] * scale;
            }
            others *= scale;
            residual_[k] = n * others - (all - n) * p_k;
            block_[k * slopes_ + k] = all * p_k * others;
        }
    }

    // Adds the row's block for predictor u with the intercept and the predictors listed before `end`.
    void add_row(std::size_t u, std::size_t r, std::size_t end) {
        for (std::size_t k = 0; k < slopes_; ++k) gradient_[u * slopes_ + k] += residual_[k];
        add_block(u, 0);
        for (std::size_t a = design_.starts[r]; a < end; ++a) add_block(u, design_.active[a]);
    }

    void add_block(std::size_t u, std::size_t v) {
        for (std::size_t k = 0; k < slopes_; ++k) {
            double* to = hessian_.data() + (u * slopes_ + k) * n_ + v * slopes_;
            for (std::size_t l = 0; l < slopes_; ++l) to[l] += block_[k * slopes_ + l];
        }
    }

    // The Newton step; returns the gain it promises. With an L1 penalty only the pivots are wanted, and H is
    // kept for the descent.
    double solve(bool first) {
        if (l1_ > 0) {
            full_.resize(n_ * n_);
            std::memcpy(full_.data(), hessian_.data(), n_ * n_ * sizeof(double));
        }
        pivots_.begin(n_, first);
        return eliminate(gradient_.data(), [&](std::size_t k, double pivot, double diagonal) {
            return pivots_.take(k, pivot, diagonal);
        });
    }

    // Cholesky in place on the lower triangle of hessian_, leaving out coordinates that are not usable; then
    // step_ = H^-1 right. Returns right times step_.
    template <class IsUsable>
    double eliminate(const double* right, IsUsable is_usable) {
        double* h = hessian_.data();
        for (std::size_t k = 0; k < n_; ++k) {
            const double diagonal = h[k * n_ + k];
            double pivot = diagonal;
            for (std::size_t l = 0; l < k; ++l) {
                // The diagonal holds inverse pivots, zero where there is none.
                const double entry = (h[k * n_ + l] - dot(h + k * n_, h + l * n_, l)) * h[l * n_ + l];
                h[k * n_ + l] = entry;
                pivot -= entry * entry;
            }
            h[k * n_ + k] = is_usable(k, pivot, diagonal) ? 1.0 / std::sqrt(pivot) : 0.0;
            step_[k] = (right[k] - dot(h + k * n_, step_.data(), k)) * h[k * n_ + k];
        }
        double promised = 0.0;
        for (std::size_t k = n_; k-- > 0;) {
            promised += step_[k] * step_[k];  // |L^-1 g|^2 = g' H^-1 g
            step_[k] *= h[k * n_ + k];
            for (std::size_t l = 0; l < k; ++l) step_[l] -= h[k * n_ + l] * step_[k];
        }
        return promised;
    }

    // Sets step_ to the Newton step of the slopes that are not zero or should not be, all keeping their signs.
    void step_in_orthant() {
        std::memcpy(hessian_.data(), full_.data(), n_ * n_ * sizeof(double));
        rest_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) {
            const double sign = coefficients[k] != 0 ? coefficients[k] : gradient_[k];
            rest_[k] = k < slopes_ ? gradient_[k] : gradient_[k] - std::copysign(l1_, sign);
        }
        eliminate(rest_.data(), [&](std::size_t k, double pivot, double diagonal) {
            const bool is_free = k < slopes_ || coefficients[k] != 0 || std::fabs(gradient_[k]) > l1_;
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
                if (!pivots_.is_usable(k)) continue;
                const double at = coefficients[k] + step_[k], aim = at + rest_[k] / curvature;
                const double size = std::fabs(aim) - (k < slopes_ ? 0.0 : l1_) / curvature;
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
            if (k >= slopes_) gain -= l1_ * (std::fabs(coefficients[k] + step_[k]) - std::fabs(coefficients[k]));
        }
        return gain;
    }

    // Takes note of a step at the end, or one that will not come again, and of the cells that leave.
    void keep(const double* step) {
        for (std::size_t k = 0; k < n_; ++k)
            if (std::fabs(step[k]) > std::fabs(drift[k])) drift[k] = step[k];
        if (!(largest_size(step, n_) > kStillMoving)) return;
        const std::size_t levels = design_.n_levels, cells = design_.n_rows * levels;
        if (!separated) {
            has_left_.resize(cells);
            std::memset(has_left_.data(), 0, cells);
        }
        separated = true;
        change_.resize(cells);
        linear(step, change_.data());
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double *n = design_.counts + r * levels, *change = change_.data() + r * levels;
            double slowest = HUGE_VAL;
            for (std::size_t k = 0; k < levels; ++k)
                if (n[k] > 0 && change[k] < slowest) slowest = change[k];
            for (std::size_t k = 0; k < levels; ++k)
                if (n[k] == 0 && change[k] < slowest - kStillMoving) has_left_[r * levels + k] = 1;
        }
    }

    // The likelihood without the cells that have left.
    double supremum() {
        linear(coefficients.data(), eta_.data());
        const std::size_t levels = design_.n_levels;
        double likelihood = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double *eta = eta_.data() + r * levels, *n = design_.counts + r * levels;
            const unsigned char* left = has_left_.data() + r * levels;
            double highest = -HUGE_VAL, sum = 0.0;
            for (std::size_t k = 0; k < levels; ++k) highest = !left[k] && eta[k] > highest ? eta[k] : highest;
            for (std::size_t k = 0; k < levels; ++k) sum += left[k] ? 0.0 : std::exp(eta[k] - highest);
            for (std::size_t k = 0; k < levels; ++k) likelihood += n[k] > 0 ? n[k] * (eta[k] - highest) : 0.0;
            likelihood -= total_[r] * std::log(sum);
        }
        return likelihood;
    }

    Design design_{};
    double l1_ = 0.0, l2_ = 0.0, l2_of_intercepts_ = 0.0;
    std::size_t slopes_ = 0, n_ = 0;
    bool is_saturated_ = false;
    Pivots pivots_;
    Buffer<unsigned char> has_left_;
    Buffer<double> eta_, power_, sum_, total_, step_, previous_, trial_, gradient_, hessian_, full_, block_, residual_,
        rest_, change_;
    SaturatedFit saturated_;
};

}  // namespace markhood::MARKHOOD_TIER
