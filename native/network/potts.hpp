// Gibbs sampling of a network with any number of levels: kChains chains at once.
//
// Given its neighbours, variable i has level a with a probability that is proportional to
//
//     w(a) = exp(h_i(a)) * prod_j exp(T_ij(a, x_j)),
//
// and takes the first level a at which w(0) + ... + w(a) exceeds u times the sum of all. The caller has computed the factors, scaled
// so that none is above one. Those of i's levels for a level of j lie side by side, padded with zeros to whole vectors, so that a chain
// multiplies short vectors. A level of weight zero is never taken.
//
// As in gibbs.hpp every tier and the NumPy twin draw the same samples: `choose` is not inlined, or a compiler might fuse the last
// product with the first sum.
#pragma once
#include "network/gibbs.hpp"

namespace markhood::MARKHOOD_TIER {

using Weights = double __attribute__((vector_size(kLevelsPerVector * sizeof(double))));

// Not returned: how a vector wider than the processor's is, compilers do not agree on.
static inline void load_weights(const double* from, Weights& to) { std::memcpy(&to, from, sizeof to); }

static inline void multiply_weights(const PottsNetwork& network, std::size_t i, const std::uint8_t* states,
                                    double* weights) {
    const std::size_t width = network.width(i), n = network.neighbours.length(i);
    const std::int64_t* neighbours = network.neighbours.list(i);
    const std::int64_t* starts = network.factor_starts + network.neighbours.starts[i];
    const double* fields = network.field_factors + network.field_starts[i];
    for (std::size_t a = 0; a < width; a += kLevelsPerVector)
        for (std::size_t l = 0; l < kChains; ++l) {
            Weights product, factor;
            load_weights(fields + a, product);
            for (std::size_t k = 0; k < n; ++k) {
                const std::size_t level = states[static_cast<std::size_t>(neighbours[k]) * kChains + l];
                load_weights(network.factors + starts[k] + level * width + a, factor);
                product *= factor;
            }
            std::memcpy(weights + l * width + a, &product, sizeof product);
        }
}

// The same for a variable whose products could leave the range of a double: fraction and exponent
// are kept apart. A level 2^1000 times less likely than another is as good as impossible.
[[gnu::noinline]] static void multiply_wide_weights(const PottsNetwork& network, std::size_t i,
                                                    const std::uint8_t* states, double* weights) {
    const std::size_t width = network.width(i);
    const auto r = static_cast<std::size_t>(network.n_levels[i]);
    const std::int64_t* neighbours = network.neighbours.list(i);
    const std::int64_t* starts = network.factor_starts + network.neighbours.starts[i];
    int exponents[kMostLevels];
    for (std::size_t l = 0; l < kChains; ++l) {
        double* fractions = weights + l * width;
        int highest = -(1 << 30), shift = 0;
        for (std::size_t a = 0; a < r; ++a) {
            fractions[a] = std::frexp(network.field_factors[network.field_starts[i] + static_cast<std::int64_t>(a)], &exponents[a]);
            for (std::size_t k = 0; k < network.neighbours.length(i); ++k) {
                const std::size_t level = states[static_cast<std::size_t>(neighbours[k]) * kChains + l];
                fractions[a] = std::frexp(fractions[a] * network.factors[static_cast<std::size_t>(starts[k]) + level * width + a], &shift);
                exponents[a] += shift;
            }
            if (exponents[a] > highest) highest = exponents[a];
        }
        for (std::size_t a = 0; a < r; ++a)
            fractions[a] = std::ldexp(fractions[a], exponents[a] - highest < -1000 ? -1000 : exponents[a] - highest);
        for (std::size_t a = r; a < width; ++a) fractions[a] = 0;
    }
}

[[gnu::noinline]] static void choose(double* weights, std::size_t r, std::size_t width, const std::uint32_t* drawn,
                                     std::uint8_t* levels) {
    for (std::size_t l = 0; l < kChains; ++l) {
        double* sums = weights + l * width;
        for (std::size_t a = 1; a < r; ++a) sums[a] += sums[a - 1];
        const double u = static_cast<double>(drawn[l]) + 0.5;
        const double reached = u * (sums[r - 1] * 0x1p-32);
        std::size_t level = 0;
        for (std::size_t a = 0; a + 1 < r; ++a) level += sums[a] <= reached;
        levels[l] = static_cast<std::uint8_t>(level);
    }
}

static void potts_gibbs(PottsNetwork network, std::uint8_t* states, std::uint32_t* generators, std::size_t burn_in,
                        std::size_t thinning, std::size_t n_draws, std::uint8_t* draws) {
    struct State {
        Buffer<std::uint8_t> levels;  // of a variable in all chains, side by side
        void put(std::size_t i, std::size_t l, std::uint8_t level) { levels[i * kChains + l] = level; }
        std::uint8_t level(std::size_t i, std::size_t l) const { return levels[i * kChains + l]; }
    } state;
    state.levels.resize(network.n_variables * kChains);
    Buffer<double> weights;
    weights.resize(kChains * kMostLevels);
    advance(network.n_variables, states, generators, burn_in, thinning, n_draws, draws, state, [&](Generators& lanes) {
        for (std::size_t k = 0; k < network.n_variables; ++k) {
            const auto i = static_cast<std::size_t>(network.order[k]);
            (network.is_wide[i] ? multiply_wide_weights : multiply_weights)(network, i, state.levels.data(), weights.data());
            Random random[kRandoms];
            draw(lanes, random);
            std::uint32_t drawn[kChains];
            std::memcpy(drawn, random, sizeof drawn);
            choose(weights.data(), static_cast<std::size_t>(network.n_levels[i]), network.width(i), drawn,
                   state.levels.data() + i * kChains);
        }
    });
}

}  // namespace markhood::MARKHOOD_TIER
