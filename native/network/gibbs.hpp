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

namespace markhood::MARKHOOD_TIER {

#if defined(__AVX512F__)
constexpr std::size_t kLaneBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kLaneBytes = 32;
#else
constexpr std::size_t kLaneBytes = 16;
#endif
using Masks = std::uint64_t __attribute__((vector_size(kLaneBytes)));
using Odds = double __attribute__((vector_size(kLaneBytes)));  // against a one
using Random = std::uint32_t __attribute__((vector_size(kLaneBytes)));
using Uniform = std::int32_t __attribute__((vector_size(kLaneBytes / 2)));

constexpr std::size_t kWidth = kLaneBytes / sizeof(double);
constexpr std::size_t kParts = kChains / kWidth;
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
            if (!masks[static_cast<std::size_t>(neighbours[k]) * kParts + l / kWidth][l % kWidth]) continue;
            fraction = std::frexp(fraction * factors[k], &shift);
            exponent += shift;
        }
        odds[l / kWidth][l % kWidth] =
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

// Sweeps `burn_in` times, then `n_draws` times `thinning` times with a write(draw) after each.
template <class Sweep, class Write>
static void advance(std::size_t burn_in, std::size_t thinning, std::size_t n_draws, Sweep sweep, Write write) {
    std::size_t done = 0;
    const auto sweep_until = [&](std::size_t end) {
        for (; done < end; ++done) stop_if_asked(done), sweep();
    };
    sweep_until(burn_in);
    for (std::size_t t = 0; t < n_draws; ++t) {
        sweep_until(burn_in + (t + 1) * thinning);
        write(t);
    }
}

static void ising_gibbs(IsingNetwork network, std::uint8_t* states, std::uint32_t* generators, std::size_t burn_in,
                  std::size_t thinning, std::size_t n_draws, std::uint8_t* draws) {
    const std::size_t d = network.n_variables;
    Generators lanes;
    std::memcpy(lanes.state, generators, sizeof lanes.state);
    Buffer<Masks> masks;
    masks.resize(d * kParts);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t l = 0; l < kChains; ++l)
            masks[i * kParts + l / kWidth][l % kWidth] = states[l * d + i] ? ~std::uint64_t{0} : 0;
    const auto write = [&](std::uint8_t* values) {
        for (std::size_t l = 0; l < kChains; ++l)
            for (std::size_t i = 0; i < d; ++i) values[l * d + i] = masks[i * kParts + l / kWidth][l % kWidth] & 1;
    };

    advance(burn_in, thinning, n_draws, [&] { sweep(network, lanes, masks.data()); },
            [&](std::size_t t) { write(draws + t * kChains * d); });
    write(states);
    std::memcpy(generators, lanes.state, sizeof lanes.state);
}

}  // namespace markhood::MARKHOOD_TIER
