// Whether rows of bits are what every other kernel takes for granted: no ones past the samples, and no sample
// with two levels, or with a level where it is missing.
//
// Kernels walk through ones, and index by what they find: a one past the samples reads past the weights, and a sample
// of two levels is counted twice. A row on its own needs a look at its last words only.
#pragma once
#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

static bool has_ones_past(const std::uint64_t* row, std::size_t n_samples, std::size_t n_words) {
    std::size_t word = n_samples / 64;
    std::uint64_t ones = word < n_words ? row[word] >> (n_samples % 64) : 0;
    while (++word < n_words) ones |= row[word];
    return ones != 0;
}

// Whether two of the rows, or one of them and the mask, have a one in common.
static bool overlap(const std::uint64_t* rows, std::size_t n_rows, std::size_t n_words, const std::uint64_t* mask) {
    constexpr std::size_t block = 256;  // words that stay in the first-level cache
    std::uint64_t seen[block];
    for (std::size_t start = 0; start < n_words; start += block) {
        const std::size_t n = n_words - start < block ? n_words - start : block;
        for (std::size_t w = 0; w < n; ++w) seen[w] = mask ? mask[start + w] : 0;
        std::uint64_t twice = 0;
        for (std::size_t r = 0; r < n_rows; ++r) {
            const std::uint64_t* row = rows + r * n_words + start;
            for (std::size_t w = 0; w < n; ++w) {
                twice |= seen[w] & row[w];
                seen[w] |= row[w];
            }
        }
        if (twice) return true;
    }
    return false;
}

static void unsound_variables(BitRows bits, std::size_t n_variables, const std::int64_t* masked, std::size_t n_masked,
                              const std::uint64_t* masks, std::int64_t* past, std::int64_t* twice) {
    *past = *twice = -1;
    const auto note = [](std::int64_t* first, std::size_t variable) {
        if (*first < 0) *first = static_cast<std::int64_t>(variable);
    };
    std::size_t m = 0;
    for (std::size_t v = 0; v < n_variables; ++v) {
        const bool has_mask = m < n_masked && static_cast<std::size_t>(masked[m]) == v;
        const std::uint64_t* mask = has_mask ? masks + m++ * bits.n_words : nullptr;
        const std::size_t first = bits.first_row(v), n_rows = bits.levels(v) - 1;
        for (std::size_t r = 0; r < n_rows; ++r)
            if (has_ones_past(bits.row(first + r), bits.n_samples, bits.n_words)) note(past, v);
        if (mask && has_ones_past(mask, bits.n_samples, bits.n_words)) note(past, v);
        if ((n_rows > 1 || mask) && overlap(bits.row(first), n_rows, bits.n_words, mask)) note(twice, v);
    }
}

}  // namespace markhood::MARKHOOD_TIER
