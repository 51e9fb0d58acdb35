// A maximum by Newton's method, of something concave with so many parameters that second derivatives are what takes time.
//
// **Old second derivatives** give a step nearly as good as new ones (a chord step), and take no time; a gradient takes a tenth of
// theirs. So they are taken anew only where steps do not come nearer fast, and at the maximum, where the determinant is
// wanted: two times in place of four for most pairs of variables. What the gradient did over the steps since corrects the old
// ones (L-BFGS).
//
// The matrix is kept as its upper triangle, of which rows are contiguous. Some rows at a time take off all before them, in tiles
// that stay in registers. A pivot that cannot be used leaves a row of zeros.
#pragma once
#include <cmath>

#include "fit/saturated.hpp"
#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

class ChordNewton {
  public:
    Buffer<double> at, gradient;
    double log_determinant = 0.0;

    void resize(std::size_t n) {
        n_ = n;
        stride_ = (n + kTileColumns - 1) / kTileColumns * kTileColumns;
        at.resize(n);
        gradient.resize(n);
        step_.resize(n);
        trial_.resize(n);
        curvature_.resize(stride_ * stride_);
        first_apart_ = end_apart_ = 0;
    }

    // Minus the second derivative by k and l >= k, and its decomposition afterwards: inverse pivots are on the diagonal.
    double& curvature(std::size_t k, std::size_t l) { return curvature_[k * stride_ + l]; }
    void clear_curvature() { std::memset(curvature_.data(), 0, stride_ * stride_ * sizeof(double)); }
    // Says that the parameters from `first` up to `end` have no second derivatives with those before.
    void set_apart(std::size_t first, std::size_t end) {
        first_apart_ = first;
        end_apart_ = end;
    }

    // `evaluate(b)` returns the objective at b and sets the gradient; `differentiate(b)` sets the second derivatives. Without
    // `has_chords` they are taken at every step, right after b was evaluated. Starts from `at`. Ends with their determinant at the
    // maximum, where a step promises `least_gain` at most; half of that, which the step would gain but for what is far
    // smaller, is added.
    template <class Evaluate, class Differentiate>
    double maximise(double least_gain, bool has_chords, Evaluate evaluate, Differentiate differentiate) {
        double reached = evaluate(at.data()), before = 0.0;
        bool is_old = true;
        for (int iteration = 0; iteration < kSteps; ++iteration) {
            stop_if_asked();
            double promised = iteration && has_chords ? promise() : HUGE_VAL;
            if (is_old && !(promised > kThere * least_gain && promised < kNearer * before)) {
                differentiate(at.data());
                decompose();
                n_changes_ = 0;
                promised = promise();
                is_old = false;
            }
            if (!is_old && !(promised > least_gain)) {
                for (std::size_t k = 0; k < n_; ++k) at[k] += step_[k];
                return reached + 0.5 * promised;
            }
            const double improved = go(reached, is_old ? 1 : kHalvings, evaluate);
            if (!(improved >= reached)) {
                if (!is_old) break;  // rounding: no step goes up any more
                evaluate(at.data());
                before = 0.0;  // from here on by new derivatives
                continue;
            }
            if (has_chords) remember_change();
            reached = improved;
            before = promised;
            is_old = true;
        }
        return reached;
    }

  private:
    static constexpr double kPivot = 1e-13, kLongest = 5.0;
    // Chord steps go on while one promises less than this share of the one before; and, as they cost little, until one promises this
    // share of what is asked for: the determinant is then right to 1e-4.
    static constexpr double kNearer = 0.5, kThere = 0.005;
    static constexpr int kSteps = 200, kHalvings = 60;
    static constexpr std::size_t kMostChanges = 8;
    static constexpr std::size_t kTileRows = 8, kTilePacks = 2, kTileColumns = 16;
    static_assert(kTileColumns % (kTilePacks * kPack) == 0 && kTileColumns % kTileRows == 0);

    // Goes the step, or the first of its halves that is not worse; returns what is reached.
    template <class Evaluate>
    double go(double reached, int halvings, Evaluate evaluate) {
        double longest = kLongest, improved = -HUGE_VAL;
        gradient_before_.copy(gradient);
        for (std::size_t k = 0; k < n_; ++k) longest = std::fabs(step_[k]) > longest ? std::fabs(step_[k]) : longest;
        double length = kLongest / longest;
        for (int halving = 0; halving < halvings; ++halving, length *= 0.5) {
            for (std::size_t k = 0; k < n_; ++k) trial_[k] = at[k] + length * step_[k];
            improved = evaluate(trial_.data());
            if (!(improved >= reached)) continue;
            at.swap(trial_);
            break;
        }
        return improved;
    }

    void decompose() {
        double product = 1.0;
        log_determinant = 0.0;
        diagonal_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) diagonal_[k] = curvature(k, k);
        for (std::size_t first = 0; first < n_; first += kTileRows) {
            if (first) stop_if_asked(first);
            take_off_earlier(first);
            const std::size_t end = first + kTileRows < n_ ? first + kTileRows : n_;
            for (std::size_t k = first; k < end; ++k) {
                double* row = curvature_.data() + k * stride_;
                for (std::size_t l = first; l < k; ++l) take_off(curvature_.data() + l * stride_, curvature(l, k), row, k, stride_);
                const double pivot = row[k];
                const bool is_usable = pivot > kPivot * diagonal_[k] && pivot > 0.0;
                const double inverse = is_usable ? 1.0 / std::sqrt(pivot) : 0.0;
                product *= is_usable ? pivot : 1.0;
                if (product > 1e200 || product < 1e-200) {
                    log_determinant += std::log(product);
                    product = 1.0;
                }
                for (std::size_t l = k + 1; l < stride_; ++l) row[l] *= inverse;
                row[k] = inverse;
            }
        }
        log_determinant += std::log(product);
    }

    // Takes all rows before `first` off the kTileRows from there on. What tiles write before the diagonal is not read again.
    void take_off_earlier(std::size_t first) {
        const bool is_apart = first >= first_apart_ && first + kTileRows <= end_apart_;
        const std::size_t from = is_apart ? first_apart_ : 0;
        for (std::size_t c = first / kTileColumns * kTileColumns; c < stride_; c += kTilePacks * kPack) {
            Pack left[kTileRows][kTilePacks];
            double* to = curvature_.data() + first * stride_ + c;
            for (std::size_t r = 0; r < kTileRows; ++r) std::memcpy(left[r], to + r * stride_, sizeof left[r]);
            const double* row = curvature_.data() + from * stride_;
            for (std::size_t k = from; k < first; ++k, row += stride_) {
                Pack of_row[kTilePacks];
                std::memcpy(of_row, row + c, sizeof of_row);
                for (std::size_t r = 0; r < kTileRows; ++r)
                    for (std::size_t p = 0; p < kTilePacks; ++p) left[r][p] -= row[first + r] * of_row[p];
            }
            for (std::size_t r = 0; r < kTileRows; ++r) std::memcpy(to + r * stride_, left[r], sizeof left[r]);
        }
    }

    static void take_off(const double* __restrict row, double times, double* __restrict from, std::size_t first, std::size_t end) {
        for (std::size_t l = first; l < end; ++l) from[l] -= times * row[l];
    }

    // A step, and how much the gradient fell over it, since the last decomposition.
    void remember_change() {
        if (n_changes_ == kMostChanges) return;
        moved_.resize((n_changes_ + 1) * n_);
        fell_.resize((n_changes_ + 1) * n_);
        double *moved = moved_.data() + n_changes_ * n_, *fell = fell_.data() + n_changes_ * n_;
        for (std::size_t k = 0; k < n_; ++k) {
            moved[k] = at[k] - trial_[k];  // which is where it was before
            fell[k] = gradient_before_[k] - gradient[k];
        }
        const double product = dot(moved, fell, n_);
        if (product > 0.0) inverse_product_[n_changes_++] = 1.0 / product;
    }

    // Sets the step; returns what it promises, the gradient times it.
    double promise() {
        double times[kMostChanges];
        step_.copy(gradient);
        for (std::size_t c = n_changes_; c-- > 0;) {
            times[c] = inverse_product_[c] * dot(moved_.data() + c * n_, step_.data(), n_);
            take_off(fell_.data() + c * n_, times[c], step_.data(), 0, n_);
        }
        solve();
        for (std::size_t c = 0; c < n_changes_; ++c) {
            const double known = inverse_product_[c] * dot(fell_.data() + c * n_, step_.data(), n_);
            take_off(moved_.data() + c * n_, known - times[c], step_.data(), 0, n_);
        }
        return dot(gradient.data(), step_.data(), n_);
    }

    // Divides the step by the second derivatives that were decomposed.
    void solve() {
        for (std::size_t k = 0; k < n_; ++k) {
            const double known = step_[k] *= curvature(k, k);
            take_off(curvature_.data() + k * stride_, known, step_.data(), k + 1, n_);
        }
        for (std::size_t k = n_; k-- > 0;) {
            const double* row = curvature_.data() + k * stride_;
            step_[k] = (step_[k] - dot(row + k + 1, step_.data() + k + 1, n_ - k - 1)) * row[k];
        }
    }

    std::size_t n_ = 0, stride_ = 0, first_apart_ = 0, end_apart_ = 0;
    std::size_t n_changes_ = 0;
    double inverse_product_[kMostChanges];
    Buffer<double> step_, trial_, curvature_, diagonal_, gradient_before_, moved_, fell_;
};

}  // namespace markhood::MARKHOOD_TIER
