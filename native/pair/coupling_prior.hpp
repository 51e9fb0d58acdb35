// The prior of a coupling that is one number: kernels/coupling_prior.py has the formulas. A fit has the prior N(0, scale^2), and a
// coupling is `unit` times the one with that prior.
#pragma once
#include <cmath>

#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

// Sets mean and variance of a coupling to those by the prior of the chain, and returns what that adds to the log Bayes factor.
static inline double reshape(const GraphChain& chain, double unit, double expected, double& mean, double& variance) {
    const double shape = chain.shape, squared = chain.scale * chain.scale, theta = mean / unit, v = variance / (unit * unit);
    const double information = v < squared ? 1.0 / v - 1.0 / squared : 0.0;
    double means[2], spreads[2], weights[2];
    for (int k = 0; k < 2; ++k) {
        const double sign = k ? -1.0 : 1.0, mode = shape > 0 ? sign * shape * chain.scale : 0.0;
        const double narrow = 1.0 / (squared * (shape > 0 ? 1.0 - shape * shape : 1.0 + sign * shape));
        spreads[k] = 1.0 / (information + narrow);
        means[k] = (theta / v + mode * narrow) * spreads[k];
        weights[k] = 0.5 * (means[k] * means[k] / spreads[k] - mode * mode * narrow + std::log(narrow * spreads[k]));
    }
    const double largest = weights[0] > weights[1] ? weights[0] : weights[1];
    const double first = std::exp(weights[0] - largest), sum = first + std::exp(weights[1] - largest), share = first / sum;
    const double apart = means[0] - means[1];
    mean = unit * (means[1] + share * apart);
    variance = unit * unit * (share * spreads[0] + (1.0 - share) * (spreads[1] + share * apart * apart));
    // By how much couplings of the background explain the data better than no coupling does.
    const double square = chain.background * chain.background, score = theta / v, small = information * square;
    const double gained = score * score * square + (2.0 * score - information * expected) * expected;
    const double explained = 0.5 * (gained / (1.0 + small) - std::log1p(small));
    return largest + std::log(0.5 * sum) - 0.5 * theta * theta / v + 0.5 * std::log1p(information * squared) - explained;
}

}  // namespace markhood::MARKHOOD_TIER
