// Words of 64 samples, without Lanes: how many ones they have, and which.
#pragma once
#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

static inline std::uint64_t ones_in(std::uint64_t word) {
    return static_cast<std::uint64_t>(__builtin_popcountll(word));
}

// The place of the lowest one; there must be one.
static inline std::size_t lowest_one(std::uint64_t word) { return static_cast<std::size_t>(__builtin_ctzll(word)); }

static inline std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < n_words; ++w) sum += ones_in(a[w] & b[w]);
    return sum;
}

// Writes a row with a one for every sample.
static inline void mark_all(std::size_t n_samples, std::size_t n_words, std::uint64_t* row) {
    for (std::size_t w = 0; w < n_words; ++w) {
        const std::size_t left = n_samples > 64 * w ? n_samples - 64 * w : 0;
        row[w] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
}

// Calls use(sample) for each one of a row, ascending.
template <class Use>
static inline void for_each_one(const std::uint64_t* row, std::size_t n_words, Use use) {
    for (std::size_t w = 0; w < n_words; ++w)
        for (std::uint64_t left = row[w]; left; left &= left - 1) use(w * 64 + lowest_one(left));
}

// Calls use(sample, level) for each sample whose level of a variable is not the first.
template <class Use>
static inline void for_each_level(BitRows rows, std::size_t variable, Use use) {
    for (std::size_t k = 1; k < rows.levels(variable); ++k)
        for_each_one(rows.row(rows.first_row(variable) + k - 1), rows.n_words, [&](std::size_t s) { use(s, k); });
}

}  // namespace markhood::MARKHOOD_TIER
