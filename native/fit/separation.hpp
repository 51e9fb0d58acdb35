// The certificate of separation, and the cells of a regression (a row, with a level of the target) that have left.
//
// A direction d certifies separation where it changes no log odds between cells with samples, raises no other cell of their rows, and
// lowers some. The maximum is then at infinity: the lowered cells have probability zero in the limit, and the supremum is the maximum over
// the others. Newton's steps towards it nearly are such directions. Subtracting what a step s does to the other cells makes it one:
// with H of these cells at equal weights, and U the coefficients that have a pivot in it, d = s - H_UU^-1 (H s)_U has H d = 0. Whether d
// certifies is then checked in every cell. Cells dropped earlier are not held by anything, and a later step may raise them: then enough
// of the way so far, which lowered them, is added to d.
#pragma once
#include <cmath>

#include "fit/cholesky.hpp"
#include "fit/conjugate_gradients.hpp"
#include "machine/buffer.hpp"

namespace markhood::MARKHOOD_TIER {

enum class Leaving { kNone, kUnclear, kSome };

class Certificate {
  public:
    // Drops the cells proposed by a step from b that leave in its direction; whether there are any that surely do. `gradient` and
    // `curvature` are overwritten.
    template <class Likelihood>
    bool confirm(Likelihood& likelihood, const Buffer<double>& step, const Buffer<double>& b, Buffer<double>& gradient, Cholesky& curvature,
                 ConjugateGradients* conjugate) {
        const std::size_t n = b.size();
        for (Buffer<double>* of_parameters : {&direction_, &past_, &held_, &held_past_}) of_parameters->resize(n);
        for (int round = 0; round < kMaxRounds; ++round) {
            likelihood.weigh_equally();
            if (!conjugate || !hold(likelihood, step, b, *conjugate)) {
                likelihood.differentiate(gradient.data(), curvature.data());
                curvature.multiply(step.data(), held_.data());
                curvature.multiply(b.data(), held_past_.data());
                pivots_.decompose(curvature, n, true);
                curvature.substitute(held_.data(), direction_.data());
                curvature.substitute(held_past_.data(), past_.data());
            }
            for (std::size_t k = 0; k < n; ++k) {
                direction_[k] = step[k] - direction_[k];
                past_[k] = b[k] - past_[k];
            }
            const Leaving found = likelihood.confirm_leaving(direction_.data(), past_.data());
            if (found != Leaving::kUnclear) return found == Leaving::kSome;
        }
        likelihood.retract();
        return false;
    }

  private:
    static constexpr double kTolerance = 1e-8;  // of the step that the other cells hold back

    // The same by products with the curvature; whether that takes few enough.
    template <class Likelihood>
    bool hold(Likelihood& likelihood, const Buffer<double>& step, const Buffer<double>& b, ConjugateGradients& conjugate) {
        if constexpr (requires { likelihood.begin_products(); }) {
            const std::size_t n = b.size();
            likelihood.begin_products();
            likelihood.multiply(step.data(), held_.data());
            likelihood.multiply(b.data(), held_past_.data());
            return conjugate.solve(likelihood, held_.data(), nullptr, n, kTolerance, direction_.data()) > -HUGE_VAL &&
                   conjugate.solve(likelihood, held_past_.data(), nullptr, n, kTolerance, past_.data()) > -HUGE_VAL;
        }
        return false;
    }

    Pivots pivots_;
    Buffer<double> direction_, past_, held_, held_past_;  // the step and the way so far, and what they do to the cells that stay
};

struct Range {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;

    void take(double value) {
        lowest = value < lowest ? value : lowest;
        highest = value > highest ? value : highest;
    }
    double width() const { return highest - lowest; }
};

class Cells {
  public:
    Buffer<unsigned char> left;  // (n_rows, n_levels)

    // Takes the counts, (n_rows, n_levels), which stay where they are.
    void set(const double* counts, std::size_t n_rows, std::size_t n_levels) {
        counts_ = counts;
        n_rows_ = n_rows;
        n_levels_ = n_levels;
        left.resize(n_rows * n_levels);
    }

    void retract() { left.copy(before_); }

    // Marks the cells without samples that a step lowers; whether there are any. Those far below the others of their row are marked
    // too: their direction does not matter to a step.
    bool propose(const double* linear, const double* change) {
        before_.copy(left);
        if (!take_away(change, 0.0)) return false;
        for (std::size_t r = 0; r < n_rows_; ++r) {
            const double lowest = moved(r, linear).lowest - kNegligibleLogOdds;
            for (std::size_t c = r * n_levels_; c < (r + 1) * n_levels_; ++c)
                if (counts_[c] == 0 && linear[c] < lowest) left[c] = true;
        }
        return true;
    }

    // Marks instead the cells that leave in a direction, if it certifies separation: the step, plus enough of the way so far (`past`)
    // that the cells lowered on it stay lowered. Proposed cells that the direction raises are taken back; then a direction found without
    // them may do.
    Leaving confirm(double* change, const double* past) {
        const double times = needed_past(change, past);
        double longest = 1.0;
        for (std::size_t c = 0; c < left.size(); ++c) {
            change[c] += times * past[c];
            longest = std::fabs(change[c]) > longest ? std::fabs(change[c]) : longest;
        }
        const double rounding = kDirectionRounding * longest;
        const Leaving found = keep_risen(change, rounding);
        if (found == Leaving::kUnclear) return found;
        retract();
        return found == Leaving::kSome && take_away(change, rounding) ? Leaving::kSome : Leaving::kNone;
    }

    // How far a step goes, by the levels of a row that it sets apart: of all cells that are there in `spread`. Returned without those
    // that have next to no probability before and after it: where data are separated the first to leave go ever faster, and
    // the last would wait for them.
    double distance(const double* linear, const double* change, double& spread) const {
        double longest = spread = 0.0;
        for (std::size_t r = 0; r < n_rows_; ++r) {
            const std::size_t from = r * n_levels_, to = from + n_levels_;
            Range before, after, all, near;
            for (std::size_t c = from; c < to; ++c) {
                if (left[c]) continue;
                before.take(linear[c]);
                after.take(linear[c] + change[c]);
            }
            for (std::size_t c = from; c < to; ++c) {
                if (left[c]) continue;
                all.take(change[c]);
                if (linear[c] > before.highest - kNegligibleLogOdds || linear[c] + change[c] > after.highest - kNegligibleLogOdds) near.take(change[c]);
            }
            spread = all.width() > spread ? all.width() : spread;
            longest = near.width() > longest ? near.width() : longest;
        }
        return longest;
    }

  private:
    // The values of a row's cells with samples.
    Range moved(std::size_t r, const double* values) const {
        Range found;
        for (std::size_t c = r * n_levels_; c < (r + 1) * n_levels_; ++c)
            if (counts_[c] > 0) found.take(values[c]);
        return found;
    }

    // Takes back proposed cells that rise: it is unclear then whether others leave. None does where a cell with samples moves, or
    // another one rises that was not proposed.
    Leaving keep_risen(const double* change, double rounding) {
        Leaving found = Leaving::kSome;
        for (std::size_t r = 0; r < n_rows_; ++r) {
            const Range of_samples = moved(r, change);
            if (of_samples.width() > rounding) return Leaving::kNone;
            for (std::size_t c = r * n_levels_; c < (r + 1) * n_levels_; ++c) {
                if (before_[c] || !(change[c] > of_samples.highest + rounding)) continue;
                if (!left[c]) return Leaving::kNone;
                left[c] = false;
                found = Leaving::kUnclear;
            }
        }
        return found;
    }

    // How much of the way so far has to be added to a step for the cells to sink that were lowered on it.
    double needed_past(const double* change, const double* past) const {
        double most = 0.0;
        for (std::size_t r = 0; r < n_rows_; ++r) {
            const std::size_t from = r * n_levels_, to = from + n_levels_;
            double at = 0.0, was = 0.0;
            for (std::size_t c = from; c < to; ++c)
                if (counts_[c] > 0) at = change[c], was = past[c];
            for (std::size_t c = from; c < to; ++c) {
                if (before_[c] || !left[c]) continue;
                const double risen = change[c] - at, sunk = was - past[c];
                if (risen > 0 && sunk > 1.0) most = (risen + 1.0) / sunk > most ? (risen + 1.0) / sunk : most;
            }
        }
        return most;
    }

    // Marks the cells without samples that sink; whether there are any.
    bool take_away(const double* change, double rounding) {
        bool any = false;
        for (std::size_t r = 0; r < n_rows_; ++r) {
            const double slowest = moved(r, change).lowest - kDivergingStep - rounding;
            for (std::size_t c = r * n_levels_; c < (r + 1) * n_levels_; ++c) {
                if (left[c] || counts_[c] > 0 || !(change[c] < slowest)) continue;
                left[c] = any = true;
            }
        }
        return any;
    }

    const double* counts_ = nullptr;
    std::size_t n_rows_ = 0, n_levels_ = 0;
    Buffer<unsigned char> before_;
};

}  // namespace markhood::MARKHOOD_TIER
