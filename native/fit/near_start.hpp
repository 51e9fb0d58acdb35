// Where a regression without some of its parameters starts, by the second derivatives with them.
//
// With H at the maximum b, the best place without the parameters G is nearly H_-G^-1 (H b)_-G: there the quadratic that has its
// maximum at b is largest. H_-G and (H b)_-G are what a fit is told (NewtonFit::know_near).
#pragma once
#include "fit/cholesky.hpp"

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
        product_.resize(n_ - (to - from));
        copy(all_.data(), product_.data());
        hessian_.resize(product_.size() * product_.size());
        for (std::size_t k = 0, row = 0; k < n_; ++k)
            if (k < from || k >= to) copy(hessian.data() + k * n_, hessian_.data() + row++ * product_.size());
    }

    const double* hessian() const { return hessian_.data(); }
    const double* product() const { return product_.data(); }

    // Copies numbers of all parameters but those left out.
    void copy(const double* values, double* to) const {
        std::memcpy(to, values, from_ * sizeof(double));
        std::memcpy(to + from_, values + to_, (n_ - to_) * sizeof(double));
    }

  private:
    std::size_t from_ = 0, to_ = 0, n_ = 0;
    Buffer<double> hessian_, product_, all_;
};

}  // namespace markhood::MARKHOOD_TIER
