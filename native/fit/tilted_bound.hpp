// The highest log-likelihood that any fit can reach, from one step: a candidate that cannot win is recognised by its first.
//
// Let p be the model's probabilities and T the statistics that its coefficients multiply. The step s gives *tilted* probabilities
// q = p (1 + (T - E_p T)'s), which sum to one, have the sample means of T, and are a distribution where no factor is negative. By the
// duality of maximum likelihood and maximum entropy no model with these coefficients has a higher likelihood than minus the entropy of
// q, which is L + KL(q, p). With m the largest -(T - E_p T)'s, KL(q, p) <= (1/2 + m/6 + m^2/3) g's, from the series of
// (1 + x) log(1 + x) - x. A chord step bounds too: with p' where the curvature was taken, q = p + p' (T - E_p' T)'s has the sample means.
#pragma once
#include "fit/cholesky.hpp"

namespace markhood::MARKHOOD_TIER {

// KL(q, p) over the chi-squared distance of q from p, at most, where no q / p is less than 1 - m.
static inline double most_divergence(double m) { return 0.5 + m / 6.0 + m * m / 3.0; }

// (1 + x) log(1 + x) - x at most, for x >= -1, by the first terms of its series.
static inline Pack divergence_of(Pack x) {
    const Pack z = x < 1.0 ? x : pack_of(1.0), fourth = z < 0.0 ? pack_of(1.0 / 3.0) : pack_of(1.0 / 12.0);
    return x * x * (0.5 - z * (1.0 / 6.0) + z * z * fourth);
}

}  // namespace markhood::MARKHOOD_TIER
