// Where a regression without some of its parameters starts, by the second derivatives with them.
//
// With H at the maximum b, the best point without the parameters G is nearly H_-G^-1 (H b)_-G: there the quadratic that has its
// maximum at b is largest. Newton::know_near takes H_-G.
#pragma once
#include "fit/newton.hpp"

namespace markhood::MARKHOOD_TIER {

class NearStart {
  public:
    // Leaves out the parameters from `from` to `to` of a maximum b and the second derivatives there.
    void leave_out(std::size_t from, std::size_t to, Cholesky& hessian, const Buffer<double>& b) {
        from_ = from;
        to_ = to;
        n_ = b.size();
        all_.resize(n_);
        hessian.multiply(b.data(), all_.data());
        whole_ = dot(b.data(), all_.data(), n_);
        product_.resize(n_ - (to - from));
        copy(all_.data(), product_.data());
        hessian_.resize(product_.size() * product_.size());
        for (std::size_t k = 0, row = 0; k < n_; ++k)
            if (k < from || k >= to) copy(hessian.data() + k * n_, hessian_.data() + row++ * product_.size());
    }

    // Writes the step from b to there, of all parameters. Returns Wald's statistic of the parameters left out, b_G' (H^-1)_GG^-1 b_G:
    // the quadratic is lower there by half of it. Zero where others are combinations of each other.
    double solve(const Buffer<double>& b, Buffer<double>& step) {
        bool all_usable = true;
        factor_.resize(product_.size());
        std::memcpy(factor_.data(), hessian_.data(), hessian_.size() * sizeof(double));
        factor_.decompose([&](std::size_t, double pivot, double diagonal) {
            const bool is_usable = pivot > kSmallestPivot * diagonal;
            all_usable = all_usable && is_usable;
            return is_usable;
        });
        const double kept = factor_.substitute(product_.data(), all_.data());
        step.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) step[k] = (k < from_ ? all_[k] : k < to_ ? 0.0 : all_[k - (to_ - from_)]) - b[k];
        return all_usable && whole_ > kept ? whole_ - kept : 0.0;
    }

    const double* hessian() const { return hessian_.data(); }

    // Copies numbers of all parameters but those left out.
    void copy(const double* values, double* to) const {
        std::memcpy(to, values, from_ * sizeof(double));
        std::memcpy(to + from_, values + to_, (n_ - to_) * sizeof(double));
    }

  private:
    std::size_t from_ = 0, to_ = 0, n_ = 0;
    double whole_ = 0.0;
    Buffer<double> hessian_, product_, all_;
    Cholesky factor_;
};

}  // namespace markhood::MARKHOOD_TIER
