// What the two regressions (logistic.hpp, multinomial.hpp) share of Newton's method: when it stops, how far a
// step may go, and which coordinates take part in it.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kPromisedGain = 1e-11;  // far below 1e-9, the least difference between two scores
constexpr double kSmallestPivot = 1e-13;  // relative; below it a pivot is rounding
constexpr double kLongestStep = 5.0, kStillMoving = 0.05;
constexpr int kMaxSteps = 200, kMaxHalvings = 60;

// What is to be gained by the part of a step that is taken. Any gain would not do: steps that overshoot could go from one
// side of the maximum to the other and never reach it. Of the last steps rounding leaves nothing to ask for.
static inline double enough(double promised, double length) { return promised > 1e-6 ? 0.1 * length * promised : 0.0; }

constexpr double kRounding = 1e-7;  // added to a bound: it must hold for what is computed

// KL(q, p) over the chi-squared distance of q from p, at most, where no q / p is less than 1 - m: see newton_fit.hpp.
static inline double most_divergence(double m) { return 0.5 + m / 6.0 + m * m / 3.0; }

static inline double largest_size(const double* values, std::size_t n) {
    double found = 0.0;
    for (std::size_t k = 0; k < n; ++k) found = std::fabs(values[k]) > found ? std::fabs(values[k]) : found;
    return found;
}

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

}  // namespace markhood::MARKHOOD_TIER
