// How many ones rows of bits have in common, a block of rows with a block of columns: the loop of both
// screens (pairs.hpp, associated_tables.hpp).
//
// The columns of a tile are interleaved (word w of
// `width` variables side by side), so that one broadcast word of a row meets `width` variables at once
// and every lane ends with the count of its own pair: there are no horizontal sums. A block of rows
// meets a block of lanes so that each load is used several times; the loop is otherwise limited by
// loads, not by counting.
#pragma once
#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kRows = Lanes::row_block;
constexpr std::size_t kLanes = Lanes::lane_block;
constexpr std::size_t kColumns = kLanes * Lanes::width;
static_assert(kColumns <= 64, "a mask has a bit a column");

using BlockSums = typename Lanes::Sums[kRows][kLanes];

static inline std::size_t padded_to(std::size_t block, std::size_t n) { return (n + block - 1) / block * block; }

// panel[w * kColumns + c] = word w of column c; zero past the last column.
static inline void interleave(BitRows rows, std::size_t first, std::size_t n, std::uint64_t* panel) {
    for (std::size_t c = 0; c < kColumns; ++c) {
        const std::uint64_t* column = c < n ? rows.row(first + c) : nullptr;
        for (std::size_t w = 0; w < rows.n_words; ++w) panel[w * kColumns + c] = column ? column[w] : 0;
    }
}

// The kRows rows from `first` on; past the n-th the first once more.
struct RowBlock {
    const std::uint64_t* row[kRows];

    RowBlock(BitRows rows, std::size_t first, std::size_t n) {
        for (std::size_t r = 0; r < kRows; ++r) row[r] = rows.row(first + (r < n ? r : 0));
    }
};

// Leaves in lane c of sums[r] the ones that row r and column c have in common. Inlined, and `sums` a variable of the
// caller's: so the compiler keeps all of them in registers.
[[gnu::always_inline]] static inline void count_block(const RowBlock& rows, const std::uint64_t* panel,
                                                      std::size_t n_words, BlockSums& sums) {
    for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t l = 0; l < kLanes; ++l) sums[r][l] = Lanes::zero();
    for (std::size_t w = 0; w < n_words; ++w) {
        typename Lanes::Bits y[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l) y[l] = Lanes::load(panel + w * kColumns + l * Lanes::width);
        for (std::size_t r = 0; r < kRows; ++r) {
            const auto x = Lanes::broadcast(rows.row[r][w]);
            for (std::size_t l = 0; l < kLanes; ++l) sums[r][l] = Lanes::add_common(sums[r][l], x, y[l]);
        }
    }
}

}  // namespace markhood::MARKHOOD_TIER
