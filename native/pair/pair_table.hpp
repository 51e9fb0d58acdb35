// The table of one or two binary variables given a few others: how many samples have each configuration.
//
// Of few variables, by intersections. They are dealt to two sides, a target to each. A side has the sets of samples, as
// bits, of those configurations of its variables that occur; a configuration of all is one of each side, and its samples
// are counted by intersecting the two sets. n variables and two targets need 2^(n/2 + 2) sets, where splitting by one variable
// after the other needs 2^(n + 1).
//
// Of more, by numbers: sixteen samples at a time get the number of their configuration, whose bits are the variables'
// values, and the numbers are counted. That takes the same time for six variables as for twelve.
#pragma once
#include "machine/buffer.hpp"
#include "machine/packs.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

class PairTable {
  public:
    static constexpr std::size_t kMaxVariables = 14;  // with two targets, what sixteen bits hold

    std::size_t n_packs = 0;
    Buffer<const Pack*> columns;  // of the variables, in the caller's order
    const Pack *totals = nullptr, *ones_i = nullptr, *ones_j = nullptr, *both = nullptr;

    // `j` is null where there is but one target.
    void build(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        counts_.zeros(std::size_t{4} << n);
        n <= kMaxIntersected ? count_intersections(rows, variables, n, i, j) : count_numbers(rows, variables, n, i, j);
        lay_out(n);
    }

  private:
    static constexpr std::size_t kMaxIntersected = 6;  // variables up to which intersections are faster than numbers

    // The configurations of some variables that occur, as positions in counts_.
    class Side {
      public:
        Buffer<std::uint32_t> places;
        Buffer<std::uint64_t> sets;

        // A variable's value is worth `unit`, that of the next twice as much, and the target's `of_target`.
        void split(BitRows rows, const std::int64_t* variables, std::size_t n, std::uint32_t unit, const std::size_t* target,
                   std::uint32_t of_target) {
            const std::size_t words = rows.n_words;
            places.resize(1);
            places[0] = 0;
            sets.zeros(words);
            for (std::size_t s = 0; s < rows.n_samples; s += 64) {
                const std::size_t left = rows.n_samples - s;
                sets[s / 64] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
            }
            for (std::size_t k = 0; k < n; ++k) split_by(rows.row(index_of(variables[k])), words, unit << k);
            if (target) split_by(rows.row(*target), words, of_target);
        }

      private:
        // Where a variable is one goes behind all sets, where it is zero stays; empty sets are left out.
        void split_by(const std::uint64_t* variable, std::size_t words, std::uint32_t worth) {
            const std::size_t n = places.size();
            std::size_t kept = 0, added = n;
            places.resize(2 * n);
            sets.resize(2 * n * words);
            for (std::size_t r = 0; r < n; ++r) {
                const std::uint64_t* whole = sets.data() + r * words;
                std::uint64_t *zeros = sets.data() + kept * words, *ones = sets.data() + added * words;
                std::uint64_t any_zero = 0, any_one = 0;
                for (std::size_t w = 0; w < words; ++w) {
                    const std::uint64_t word = whole[w], one = word & variable[w], zero = word & ~variable[w];
                    any_one |= ones[w] = one;
                    any_zero |= zeros[w] = zero;
                }
                const std::uint32_t place = places[r];
                if (any_zero) places[kept++] = place;
                if (any_one) places[added++] = place + worth;
            }
            close_gap(kept, n, added, words);
        }

        void close_gap(std::size_t kept, std::size_t n, std::size_t added, std::size_t words) {
            if (kept < n && added > n) {
                std::memmove(places.data() + kept, places.data() + n, (added - n) * sizeof(std::uint32_t));
                std::memmove(sets.data() + kept * words, sets.data() + n * words, (added - n) * words * sizeof(std::uint64_t));
            }
            places.resize(kept + added - n);
            sets.resize((kept + added - n) * words);
        }
    };

    // A place in counts_ is four times the configuration, plus two where the second target is one, plus one where the first is.
    void count_intersections(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        const std::size_t of_first = j ? n / 2 : (n + 1) / 2, words = rows.n_words;
        first_.split(rows, variables, of_first, 4, &i, 1);
        second_.split(rows, variables + of_first, n - of_first, 4u << of_first, j, 2);
        for (std::size_t b = 0; b < second_.places.size(); ++b)
            for (std::size_t a = 0; a < first_.places.size(); ++a)
                counts_[first_.places[a] + second_.places[b]] = static_cast<std::uint32_t>(
                    count_common(first_.sets.data() + a * words, second_.sets.data() + b * words, words));
    }

    void count_numbers(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        rows_.resize(0);
        for (std::size_t k = n; k-- > 0;) rows_.push(rows.row(index_of(variables[k])));
        if (j) rows_.push(rows.row(*j));
        rows_.push(rows.row(i));
        const std::size_t n_rows = rows_.size();
        const auto number = [&](std::size_t w) {
            for (std::size_t q = 0; q < 4; ++q) {
                Sixteen numbers{};
                for (std::size_t k = 0; k < n_rows; ++k) {
                    const std::uint16_t bits = static_cast<std::uint16_t>(rows_[k][w] >> (16 * q));
                    const Sixteen values = Sixteen{} + bits;
                    numbers += numbers - (Sixteen)((values & kBits) == kBits);  // a comparison is minus one where it holds
                }
                if (!j) numbers = ((numbers & 0xfffe) << 1) | (numbers & 1);
                std::memcpy(numbers_ + 16 * q, &numbers, sizeof numbers);
            }
        };
        std::size_t w = 0;
        for (; (w + 1) * 64 <= rows.n_samples; ++w) {
            number(w);
            for (std::size_t s = 0; s < 64; ++s) ++counts_[numbers_[s]];
        }
        if (rows.n_samples > w * 64) {
            number(w);
            for (std::size_t s = 0; s < rows.n_samples - w * 64; ++s) ++counts_[numbers_[s]];
        }
    }

    // Rows that occur: a column for every variable, and four for the counts.
    void lay_out(std::size_t n) {
        used_.resize(0);
        const std::uint32_t* counts = counts_.data();
        for (std::uint32_t c = 0; c < 1u << n; ++c, counts += 4)
            if (counts[0] | counts[1] | counts[2] | counts[3]) used_.push(c);
        counts = counts_.data();
        n_packs = packs_for(used_.size());
        packs_.resize((n + 4) * n_packs);
        columns.resize(n);
        for (std::size_t k = 0; k < n; ++k) columns[k] = column(k, [k](std::uint32_t c) { return (c >> k) & 1; });
        const auto count = [counts](std::uint32_t c, std::size_t targets) { return counts[4 * c + targets]; };
        totals = column(n, [&](std::uint32_t c) { return count(c, 0) + count(c, 1) + count(c, 2) + count(c, 3); });
        ones_i = column(n + 1, [&](std::uint32_t c) { return count(c, 1) + count(c, 3); });
        ones_j = column(n + 2, [&](std::uint32_t c) { return count(c, 2) + count(c, 3); });
        both = column(n + 3, [&](std::uint32_t c) { return count(c, 3); });
    }

    template <class Number>
    const Pack* column(std::size_t k, Number number) {
        Pack* packs = packs_.data() + k * n_packs;
        double* to = reinterpret_cast<double*>(packs);
        const std::size_t n = used_.size();
        for (std::size_t r = 0; r < n; ++r) to[r] = static_cast<double>(number(used_[r]));
        for (std::size_t r = n; r < n_packs * kPack; ++r) to[r] = 0.0;
        return packs;
    }

    using Sixteen = std::uint16_t __attribute__((vector_size(32)));
    static constexpr Sixteen kBits = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                      1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

    Side first_, second_;
    Buffer<const std::uint64_t*> rows_;
    Buffer<std::uint32_t> counts_, used_;
    Buffer<Pack> packs_;
    std::uint16_t numbers_[64];
};

}  // namespace markhood::MARKHOOD_TIER
