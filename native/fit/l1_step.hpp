// The step of Newton's method under an L1 penalty: the maximum of the quadratic model less l1 |b + s|, by coordinate ascent from the best
// step that changes no sign. Coefficients without a penalty come first.
#pragma once
#include "fit/cholesky.hpp"

namespace markhood::MARKHOOD_TIER {

class L1Step {
  public:
    // Takes the curvature before it is factorised.
    void set_curvature(const Cholesky& curvature) { full_.copy(curvature.matrix()); }

    // Sets the step from b; returns the gain that it promises. Coefficients without a pivot in `pivots` start where they are.
    double solve(const Buffer<double>& b, const Buffer<double>& gradient, double l1, std::size_t n_thresholds, const Pivots& pivots,
                 double* step) {
        const std::size_t n = b.size();
        step_in_orthant(b, gradient, l1, n_thresholds, pivots, step);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t l = k + 1; l < n; ++l) full_[k * n + l] = full_[l * n + k];
        for (std::size_t k = 0; k < n; ++k) rest_[k] = gradient[k] - dot(full_.data() + k * n, step, n);
        for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
            double moved = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                const double curvature = full_[k * n + k];
                if (!(curvature > 0)) continue;  // a linear combination of others may be the cheaper one
                const double at = b[k] + step[k], aim = at + rest_[k] / curvature;
                const double size = std::fabs(aim) - (k < n_thresholds ? 0.0 : l1) / curvature;
                const double change = (size > 0 ? std::copysign(size, aim) : 0.0) - at;
                if (change == 0.0) continue;
                for (std::size_t l = 0; l < n; ++l) rest_[l] -= full_[k * n + l] * change;
                step[k] += change;
                moved = curvature * change * change > moved ? curvature * change * change : moved;
            }
            if (moved < kPromisedGain * 1e-3) break;
        }
        double gain = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            gain += step[k] * (gradient[k] + rest_[k]) / 2;
            if (k >= n_thresholds) gain -= l1 * (std::fabs(b[k] + step[k]) - std::fabs(b[k]));
        }
        return gain;
    }

  private:
    static constexpr int kMaxSweeps = 1000;

    // The step of the slopes that are not zero or should not be, all keeping their signs.
    void step_in_orthant(const Buffer<double>& b, const Buffer<double>& gradient, double l1, std::size_t n_thresholds,
                         const Pivots& pivots, double* step) {
        const std::size_t n = b.size();
        factor_.resize(n);
        std::memcpy(factor_.data(), full_.data(), n * n * sizeof(double));
        rest_.resize(n);
        for (std::size_t k = 0; k < n; ++k)
            rest_[k] = k < n_thresholds ? gradient[k] : gradient[k] - std::copysign(l1, b[k] != 0 ? b[k] : gradient[k]);
        factor_.decompose([&](std::size_t k, double pivot, double diagonal) {
            const bool is_free = k < n_thresholds || b[k] != 0 || std::fabs(gradient[k]) > l1;
            return is_free && pivots.is_usable(k) && pivot > kSmallestPivot * diagonal;
        });
        factor_.substitute(rest_.data(), step);
    }

    Cholesky factor_;
    Buffer<double> full_, rest_;
};

}  // namespace markhood::MARKHOOD_TIER
