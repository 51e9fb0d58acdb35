// A quadratic model of the likelihood with an L1 penalty, and its maximum by coordinate ascent.
//
//     g'(t - b) - (t - b)' H (t - b) / 2 - sum_j penalty_j |t_j|,     H = X' diag(weights) X
//
// over the slopes t and an intercept without penalty. The intercept is eliminated (H becomes C, the weighted
// covariance, below): compared with it all columns of zeros and ones resemble each other, and coordinate ascent would take
// hundreds of sweeps. H is kept as a matrix, so a sweep costs nothing that grows with the samples. Rows of X are patterns of
// the samples (patterns.hpp), and weights are those of all samples of a pattern.
//
// Where columns say nearly the same, or data are nearly separated, it takes thousands of sweeps all the same. So after
// a few of them the slopes that are not zero are solved for at once, up to where the first changes its sign.
#pragma once
#include <cmath>

#include "count/patterns.hpp"
#include "fit/cholesky.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kFlat = 1e-12;         // relative; below it the covariance has only rounding
constexpr double kInnerAccuracy = 1e-2;  // of the maximum, relative to the step that leads to it
constexpr double kLeastChange = 1e-12;
constexpr int kMaxSweeps = 1000;
constexpr int kSweepsBeforeSolving = 12;

class Lasso {
  public:
    double intercept_step = 0.0;
    Buffer<double> slopes;  // t, at the maximum

    // Takes weights (zero in the padding) and forgets all columns.
    void set_weights(const Pack* weights, std::size_t n_packs) {
        n_packs_ = n_packs;
        n_ = 0;
        weights_.resize(n_packs);
        selected_.resize(n_packs);
        std::memcpy(weights_.data(), weights, n_packs * sizeof(Pack));
        sum_ = total_of(weights);
    }

    // The patterns from `before` on are new: each takes its share of its parent's weight.
    void split(const Patterns& patterns, std::size_t before) {
        n_packs_ = patterns.n_packs();
        widen(weights_, n_packs_);
        selected_.resize(n_packs_);
        double* weights = reinterpret_cast<double*>(weights_.data());
        for (std::size_t p = before; p < patterns.size(); ++p) {
            const std::size_t parent = patterns.parent(p);
            weights[p] = weights[parent] * patterns.share(p);
            weights[parent] -= weights[p];
        }
    }

    // Takes in the columns up to n, which follow those that it has.
    void take(const Patterns& columns, std::size_t n) {
        reserve(n);
        means_.resize(n);
        row_.resize(columns.padded());
        for (; n_ < n; ++n_) {
            columns.select(n_, weights_.data(), selected_.data());
            const double sum = total_of(selected_.data());
            means_[n_] = sum / sum_;
            columns.sum(selected_.data(), n_ + 1, row_.data());
            for (std::size_t k = 0; k <= n_; ++k) at(k, n_) = at(n_, k) = row_[k] - sum * means_[k];
            if (!(at(n_, n_) > kFlat * row_[n_])) at(n_, n_) = 0.0;
        }
    }

    // `gradient` of the intercept, `gradients` of the slopes b = `from`. Returns the longest step of a coordinate.
    double maximise(double gradient, const double* gradients, const double* from, const double* penalties) {
        slopes.resize(n_);
        rest_.zeros(stride_);
        for (std::size_t j = 0; j < n_; ++j) {
            slopes[j] = from[j];
            rest_[j] = gradients[j] - means_[j] * gradient;
        }
        bool all = true;
        double before = HUGE_VAL;
        for (int sweep = 1; sweep <= kMaxSweeps; ++sweep) {
            const double change = ascend(penalties, all), rate = change / before;
            // What later sweeps would add, each being shorter than the one before by the same rate.
            const double left = rate < 0.5 ? change : rate < 1.0 ? change * rate / (1.0 - rate) : HUGE_VAL;
            before = change;
            const bool settled = !(change > kLeastChange) || !(left > kInnerAccuracy * longest(from));
            if (all && settled) break;
            all = settled;  // the zeros are looked at again when the others have settled
            if (sweep % kSweepsBeforeSolving == 0) {
                solve_support(penalties);
                all = true;
            }
        }
        intercept_step = gradient / sum_;
        for (std::size_t j = 0; j < n_; ++j) intercept_step -= means_[j] * (slopes[j] - from[j]);
        return std::fmax(longest(from), std::fabs(intercept_step));
    }

  private:
    // One coordinate after another to its own maximum; rest_ is the model's gradient at `slopes`.
    double ascend(const double* penalties, bool all) {
        double largest = 0.0;
        for (std::size_t j = 0; j < n_; ++j) {
            const double curvature = at(j, j), old = slopes[j];
            if (curvature == 0.0 || (!all && old == 0.0)) continue;
            const double pull = rest_[j] + curvature * old;
            const double beyond = std::fabs(pull) - penalties[j];
            const double moved = beyond > 0.0 ? std::copysign(beyond, pull) / curvature : 0.0;
            const double change = moved - old;
            if (change == 0.0) continue;
            if (std::fabs(change) > largest) largest = std::fabs(change);
            move(j, change);
            slopes[j] = moved;  // not its sum with rounding: a zero is to be a zero
        }
        return largest;
    }

    // Goes to the maximum over the slopes that are not zero, or to where the first of them becomes zero.
    void solve_support(const double* penalties) {
        support_.resize(0);
        for (std::size_t j = 0; j < n_; ++j)
            if (slopes[j] != 0.0 && at(j, j) > 0.0) support_.push(j);
        const std::size_t m = support_.size();
        factor_.resize(m);
        step_.resize(m);
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t j = support_[a];
            for (std::size_t b = 0; b <= a; ++b) factor_.data()[a * m + b] = at(j, support_[b]);
            step_[a] = rest_[j] - std::copysign(penalties[j], slopes[j]);
        }
        factor_.decompose([](std::size_t, double pivot, double diagonal) { return pivot > kFlat * diagonal; });
        factor_.substitute(step_.data(), step_.data());
        double length = 1.0;
        for (std::size_t a = 0; a < m; ++a) {
            const double moved = slopes[support_[a]] + step_[a];
            if (moved * slopes[support_[a]] <= 0.0) length = std::fmin(length, slopes[support_[a]] / -step_[a]);
        }
        for (std::size_t a = 0; a < m; ++a) move(support_[a], length * step_[a]);
    }

    // Changes a slope, and the model's gradient with it.
    void move(std::size_t j, double change) {
        slopes[j] += change;
        const Pack* row = reinterpret_cast<const Pack*>(covariance_.data() + j * stride_);
        Pack* rest = reinterpret_cast<Pack*>(rest_.data());
        for (std::size_t p = 0; p < packs_for(n_); ++p) rest[p] -= row[p] * change;
    }

    double longest(const double* from) const {
        double size = 0.0;
        for (std::size_t j = 0; j < n_; ++j) {
            const double step = std::fabs(slopes[j] - from[j]);
            if (step > size) size = step;
        }
        return size;
    }

    double total_of(const Pack* values) const {
        Pack sum{};
        for (std::size_t p = 0; p < n_packs_; ++p) sum += values[p];
        return total(sum);
    }

    double& at(std::size_t j, std::size_t k) { return covariance_[j * stride_ + k]; }

    void reserve(std::size_t n) {
        if (n <= stride_) return;
        const std::size_t stride = (2 * n + 7) / 8 * 8;
        Buffer<double> wider;
        wider.resize(stride * stride);
        std::memset(wider.data(), 0, stride * stride * sizeof(double));  // whole packs are read
        for (std::size_t j = 0; j < n_; ++j)
            std::memcpy(wider.data() + j * stride, covariance_.data() + j * stride_, n_ * sizeof(double));
        covariance_.swap(wider);
        stride_ = stride;
    }

    std::size_t n_packs_ = 0, n_ = 0, stride_ = 0;
    double sum_ = 0.0;
    Buffer<Pack> weights_, selected_;
    Buffer<double> means_, row_, rest_, covariance_, step_;
    Cholesky factor_;
    Buffer<std::size_t> support_;
};

}  // namespace markhood::MARKHOOD_TIER
