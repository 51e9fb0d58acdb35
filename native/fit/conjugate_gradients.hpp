// Solves H x = y by preconditioned conjugate gradients: from products with the curvature H alone, which is never written.
//
// A regression on members with many levels has thousands of coefficients, but a table of thousands of rows at most. A product costs
// rows times members times levels, far less than building H and factorising it. Where H is singular, x is the solution that is shortest
// in the norm of the preconditioner. A Gaussian prior adds its precision to the diagonal.
#pragma once
#include <cmath>

#include "fit/cholesky.hpp"

namespace markhood::MARKHOOD_TIER {

class ConjugateGradients {
  public:
    // Solves until the residual is at most `tolerance` times y, in the norm of the preconditioner. Returns y'x, or minus infinity if
    // that takes too many products. `precision` is that of a prior, the same for all slopes; null for none.
    template <class Likelihood>
    double solve(Likelihood& likelihood, const double* right, const double* precision, std::size_t n, double tolerance, double* x) {
        for (Buffer<double>* of_parameters : {&rest_, &scaled_, &direction_, &product_}) of_parameters->resize(n);
        std::memcpy(rest_.data(), right, n * sizeof(double));
        std::memset(x, 0, n * sizeof(double));
        likelihood.begin_products(precision ? precision[n - 1] : 0.0);
        likelihood.precondition(rest_.data(), scaled_.data());
        direction_.copy(scaled_);
        size_ = first_size_ = dot(rest_.data(), scaled_.data(), n);
        solved_ = 0.0;
        n_left_ = kMostWork * likelihood.products_per_factor();
        return proceed(likelihood, precision, n, tolerance, x);
    }

    // Continues to a smaller tolerance.
    template <class Likelihood>
    double proceed(Likelihood& likelihood, const double* precision, std::size_t n, double tolerance, double* x) {
        while (size_ > tolerance * tolerance * first_size_) {
            if (!(n_left_-- > 0)) return -HUGE_VAL;
            stop_if_asked();
            likelihood.multiply(direction_.data(), product_.data());
            for (std::size_t k = 0; precision && k < n; ++k) product_[k] += precision[k] * direction_[k];
            const double curvature = dot(direction_.data(), product_.data(), n);
            if (!(curvature > 0.0)) return -HUGE_VAL;
            const double length = size_ / curvature;
            for (std::size_t k = 0; k < n; ++k) x[k] += length * direction_[k];
            for (std::size_t k = 0; k < n; ++k) rest_[k] -= length * product_[k];
            solved_ += length * size_;
            likelihood.precondition(rest_.data(), scaled_.data());
            const double before = size_;
            size_ = dot(rest_.data(), scaled_.data(), n);
            for (std::size_t k = 0; k < n; ++k) direction_[k] = scaled_[k] + size_ / before * direction_[k];
        }
        return solved_;
    }

  private:
    static constexpr double kMostWork = 0.4;  // of what a factorisation costs

    double n_left_ = 0.0;  // products
    double size_ = 0.0, first_size_ = 0.0, solved_ = 0.0;
    Buffer<double> rest_, scaled_, direction_, product_;
};

}  // namespace markhood::MARKHOOD_TIER
