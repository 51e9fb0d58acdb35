// Gibbs sampling of a binary network: kChains independent chains at once, one chain a lane.
//
// Given its neighbours, variable i is one with odds exp(h_i + sum_j J_ij x_j), so with u uniform
//
//     x_i = 1  where  u * exp(-h_i) * prod_{j: x_j = 1} exp(-J_ij) < 1 - u.
//
// The caller has computed the factors exp(-J); a lane only multiplies, adds and compares doubles.
// Those operations give the same bits on every processor (no product is followed by a sum, which
// a compiler might fuse), so every tier and the NumPy twin draw the same samples. u has 32 bits
// and comes from the lane's own xoshiro128++ generator.
//
// A value is a mask of 64 equal bits: it selects between a factor and 1.0 without a branch. The
// vectors are as wide as the processor's, because GCC cuts wider ones into single numbers.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

using Odds = Pack;  // against a one
using Masks = std::uint64_t __attribute__((vector_size(sizeof(Odds))));
using Random = std::uint32_t __attribute__((vector_size(sizeof(Odds))));
using Uniform = std::int32_t __attribute__((vector_size(sizeof(Odds) / 2)));

constexpr std::size_t kParts = kChains / kPack;
constexpr std::size_t kRandoms = kParts / 2;

struct Generators {
    Random state[4][kRandoms];
};

static inline Random rotate(const Random& x, int by) { return (x << by) | (x >> (32 - by)); }

// xoshiro128++ of Blackman and Vigna.
static inline void draw(Generators& generators, Random* drawn) {
    for (std::size_t r = 0; r < kRandoms; ++r) {
        Random &a = generators.state[0][r], &b = generators.state[1][r];
        Random &c = generators.state[2][r], &d = generators.state[3][r];
        const Random shifted = b << 9;
        drawn[r] = rotate(a + d, 7) + a;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = rotate(d, 11);
    }
}

static inline void multiply_odds(const IsingNetwork& network, std::size_t i, const Masks* masks, Odds* odds) {
    const Masks one = (Masks)(Odds{} + 1.0);
    const std::int64_t* neighbours = network.neighbours.list(i);
    const double* factors = network.coupling_odds + network.neighbours.starts[i];
    for (std::size_t p = 0; p < kParts; ++p) odds[p] = Odds{} + network.field_odds[i];
    for (std::size_t k = 0; k < network.neighbours.length(i); ++k) {
        const Masks* mask = masks + static_cast<std::size_t>(neighbours[k]) * kParts;
        const Masks change = (Masks)(Odds{} + factors[k]) ^ one;
        for (std::size_t p = 0; p < kParts; ++p) odds[p] *= (Odds)((mask[p] & change) ^ one);
    }
}

// The same for a variable whose partial products could leave the range of a double: fraction and
// exponent are kept apart. Odds beyond 2^900 are as good as certain.
[[gnu::noinline]] static void multiply_wide_odds(const IsingNetwork& network, std::size_t i, const Masks* masks, Odds* odds) {
    const std::int64_t* neighbours = network.neighbours.list(i);
    const double* factors = network.coupling_odds + network.neighbours.starts[i];
    for (std::size_t l = 0; l < kChains; ++l) {
        int exponent = 0, shift = 0;
        double fraction = std::frexp(network.field_odds[i], &exponent);
        for (std::size_t k = 0; k < network.neighbours.length(i); ++k) {
            if (!masks[static_cast<std::size_t>(neighbours[k]) * kParts + l / kPack][l % kPack]) continue;
            fraction = std::frexp(fraction * factors[k], &shift);
            exponent += shift;
        }
        odds[l / kPack][l % kPack] =
            std::ldexp(fraction, exponent < -900 ? -900 : exponent > 900 ? 900 : exponent);
    }
}

static inline void sweep(const IsingNetwork& network, Generators& generators, Masks* masks) {
    for (std::size_t k = 0; k < network.n_variables; ++k) {
        const auto i = static_cast<std::size_t>(network.order[k]);
        Odds odds[kParts];
        multiply_odds(network, i, masks, odds);
        if (network.is_wide[i]) {
            Odds wide[kParts];  // apart, so that `odds` stays in registers
            multiply_wide_odds(network, i, masks, wide);
            for (std::size_t p = 0; p < kParts; ++p) odds[p] = wide[p];
        }
        Random drawn[kRandoms];
        draw(generators, drawn);
        for (std::size_t p = 0; p < kParts; ++p) {
            // Processors convert signed integers only: u = (signed + 2^31 + 1/2) / 2^32.
            Uniform part;
            std::memcpy(&part, reinterpret_cast<const char*>(drawn) + p * sizeof part, sizeof part);
            const Odds u = __builtin_convertvector(part, Odds);
            masks[i * kParts + p] = (Masks)((u + 2147483648.5) * odds[p] < 2147483647.5 - u);
        }
    }
}

// Sweeps `burn_in` times, then `n_draws` times `thinning` times, with a draw after each. The sampler's `state` has
// the level of every variable in every chain.
template <class State, class Sweep>
static void advance(std::size_t d, std::uint8_t* states, std::uint32_t* generators, std::size_t burn_in, std::size_t thinning,
                    std::size_t n_draws, std::uint8_t* draws, State& state, Sweep sweep) {
    Generators lanes;
    std::memcpy(lanes.state, generators, sizeof lanes.state);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t l = 0; l < kChains; ++l) state.put(i, l, states[l * d + i]);
    const auto write = [&](std::uint8_t* values) {
        for (std::size_t l = 0; l < kChains; ++l)
            for (std::size_t i = 0; i < d; ++i) values[l * d + i] = state.level(i, l);
    };
    std::size_t done = 0;
    const auto sweep_until = [&](std::size_t end) {
        for (; done < end; ++done) stop_if_asked(done), sweep(lanes);
    };
    sweep_until(burn_in);
    for (std::size_t t = 0; t < n_draws; ++t) {
        sweep_until(burn_in + (t + 1) * thinning);
        write(draws + t * kChains * d);
    }
    write(states);
    std::memcpy(generators, lanes.state, sizeof lanes.state);
}

static void ising_gibbs(IsingNetwork network, std::uint8_t* states, std::uint32_t* generators, std::size_t burn_in,
                        std::size_t thinning, std::size_t n_draws, std::uint8_t* draws) {
    struct State {
        Buffer<Masks> masks;
        void put(std::size_t i, std::size_t l, std::uint8_t level) {
            masks[i * kParts + l / kPack][l % kPack] = level ? ~std::uint64_t{0} : 0;
        }
        std::uint8_t level(std::size_t i, std::size_t l) const { return masks[i * kParts + l / kPack][l % kPack] & 1; }
    } state;
    state.masks.resize(network.n_variables * kParts);
    advance(network.n_variables, states, generators, burn_in, thinning, n_draws, draws, state,
            [&](Generators& lanes) { sweep(network, lanes, state.masks.data()); });
}

}  // namespace markhood::MARKHOOD_TIER
