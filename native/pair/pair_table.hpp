// The table of one or two binary variables given some others: how many samples have each configuration.
//
// Of few others, the set of samples of every configuration is found by intersections. Of more, sixteen samples at a time get the
// number of their configuration, whose bits are the variables' values, and the numbers are counted. Where there could be many more
// configurations than samples, hardly two samples agree, and grouping costs more than it saves: then every sample is a row.
#pragma once
#include "machine/buffer.hpp"
#include "machine/packs.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

class PairTable {
  public:
    std::size_t n_packs = 0;
    Buffer<const Pack*> columns;  // of the variables, in the caller's order
    const Pack *totals = nullptr, *ones_i = nullptr, *ones_j = nullptr, *both = nullptr;

    // `j` is null where there is but one target.
    void build(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        rows_.resize(0);
        for (std::size_t k = n; k-- > 0;) rows_.push(rows.row(index_of(variables[k])));
        if (j) rows_.push(rows.row(*j));
        rows_.push(rows.row(i));
        if (n <= kMaxVariables && (std::size_t{1} << n) <= 128 + 4 * rows.n_samples) take_configurations(rows.n_samples, rows.n_words, n, j);
        else take_samples(rows.n_samples, n, j);
    }

  private:
    static constexpr std::size_t kMaxVariables = 14;  // with two targets, what sixteen bits hold
    static constexpr std::size_t kFewVariables = 5;   // up to which intersections are faster than numbers

    // A place in counts_ is four times the configuration, plus two where the second target is one, plus one where the first is.
    void take_configurations(std::size_t n_samples, std::size_t n_words, std::size_t n, bool has_second) {
        counts_.zeros(std::size_t{4} << n);
        n <= kFewVariables ? count_sets(n_samples, n_words, has_second) : count_numbers(n_samples, has_second);
        const std::uint32_t* counts = counts_.data();
        used_.resize(0);
        for (std::uint32_t c = 0; c < 1u << n; ++c)
            if (counts[4 * c] | counts[4 * c + 1] | counts[4 * c + 2] | counts[4 * c + 3]) used_.push(c);
        begin(n, used_.size());
        const auto count = [&](std::size_t r, std::size_t targets) { return counts[4 * used_[r] + targets]; };
        for (std::size_t k = 0; k < n; ++k) columns[k] = column(k, [&](std::size_t r) { return (used_[r] >> k) & 1; });
        totals = column(n, [&](std::size_t r) { return count(r, 0) + count(r, 1) + count(r, 2) + count(r, 3); });
        ones_i = column(n + 1, [&](std::size_t r) { return count(r, 1) + count(r, 3); });
        ones_j = column(n + 2, [&](std::size_t r) { return count(r, 2) + count(r, 3); });
        both = column(n + 3, [&](std::size_t r) { return count(r, 3); });
    }

    // Splits the set of all samples by one row after the other; number c of the sets has the samples with the configuration c.
    void count_sets(std::size_t n_samples, std::size_t n_words, bool has_second) {
        std::uint64_t* sets = sets_.resize(n_words << rows_.size());
        mark_all(n_samples, n_words, sets);
        for (std::size_t k = 0; k < rows_.size(); ++k)
            for (std::size_t c = std::size_t{1} << k; c-- > 0;) {
                const std::uint64_t* row = rows_[k];
                std::uint64_t *whole = sets + c * n_words, *zeros = sets + 2 * c * n_words, *ones = zeros + n_words;
                for (std::size_t w = 0; w < n_words; ++w) ones[w] = whole[w] & row[w];
                for (std::size_t w = 0; w < n_words; ++w) zeros[w] = whole[w] & ~row[w];
            }
        for (std::size_t c = 0; c < std::size_t{1} << rows_.size(); ++c, sets += n_words)
            counts_[has_second ? c : c / 2 * 4 + c % 2] = static_cast<std::uint32_t>(count_common(sets, sets, n_words));
    }

    void count_numbers(std::size_t n_samples, bool has_second) {
        for (std::size_t w = 0; w * 64 < n_samples; ++w) {
            number_samples(w, has_second);
            const std::size_t left = n_samples - w * 64, end = left < 64 ? left : 64;
            for (std::size_t s = 0; s < end; ++s) ++counts_[numbers_[s]];
        }
    }

    // Writes the numbers of the samples of word w.
    void number_samples(std::size_t w, bool has_second) {
        for (std::size_t q = 0; q < 4; ++q) {
            Sixteen numbers{};
            for (std::size_t k = 0; k < rows_.size(); ++k) {
                Sixteen values;
                for (std::size_t x = 0; x < 16; ++x) values[x] = static_cast<std::uint16_t>(rows_[k][w] >> (16 * q));
                numbers += numbers - (Sixteen)((values & kBits) == kBits);  // a comparison is minus one where it holds
            }
            if (!has_second) numbers = ((numbers & 0xfffe) << 1) | (numbers & 1);
            std::memcpy(numbers_ + 16 * q, &numbers, sizeof numbers);
        }
    }

    void take_samples(std::size_t n_samples, std::size_t n, bool has_second) {
        begin(n, n_samples);
        const auto bit = [&](std::size_t row, std::size_t s) { return (rows_[row][s / 64] >> (s % 64)) & 1; };
        const std::size_t i = rows_.size() - 1, j = has_second ? n : i;
        for (std::size_t k = 0; k < n; ++k) columns[k] = column(k, [&](std::size_t s) { return bit(n - 1 - k, s); });
        totals = column(n, [](std::size_t) { return 1; });
        ones_i = column(n + 1, [&](std::size_t s) { return bit(i, s); });
        ones_j = column(n + 2, [&](std::size_t s) { return bit(j, s); });
        both = column(n + 3, [&](std::size_t s) { return bit(i, s) & bit(j, s); });
    }

    // Makes room for a column for every variable, and four for the counts.
    void begin(std::size_t n, std::size_t n_rows) {
        n_rows_ = n_rows;
        n_packs = packs_for(n_rows);
        packs_.resize((n + 4) * n_packs);
        columns.resize(n);
    }

    template <class Number>
    const Pack* column(std::size_t k, Number number) {
        Pack* packs = packs_.data() + k * n_packs;
        double* to = reinterpret_cast<double*>(packs);
        for (std::size_t r = 0; r < n_rows_; ++r) to[r] = static_cast<double>(number(r));
        for (std::size_t r = n_rows_; r < n_packs * kPack; ++r) to[r] = 0.0;
        return packs;
    }

    using Sixteen = std::uint16_t __attribute__((vector_size(32)));
    static constexpr Sixteen kBits = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                      1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

    std::size_t n_rows_ = 0;
    Buffer<const std::uint64_t*> rows_;  // of the last variable first, then of the targets, j first
    Buffer<std::uint64_t> sets_;
    Buffer<std::uint32_t> counts_, used_;
    Buffer<Pack> packs_;
    std::uint16_t numbers_[64];
};

}  // namespace markhood::MARKHOOD_TIER
