// Samples grouped by their patterns in a few columns: the design of a logistic regression.
//
// The regression needs the distinct patterns, the number of samples with each, and in how many of these the target is one.
// Binary columns come one after another. Each splits the patterns in which it is not constant: the samples with a one become
// a new pattern, at the end. Other patterns keep their numbers, and a new one starts with the values of its parent.
// The target's real columns are there from the start, before all binary ones; the first patterns are then the groups of
// samples that coincide in them (`Reals` in machine/tiers.hpp).
#pragma once
#include "count/bit_columns.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

class Patterns {
  public:
    Buffer<Pack> counts, ones;  // samples of each pattern, and those in which the target is one; zero in the padding
    BitColumns columns;         // a row a pattern

    // Real columns only: without them, all samples in one pattern.
    void begin(BitRows rows, std::size_t target) {
        n_words_ = words_for(rows.n_samples);
        target_ = rows.row(target);
        of_.resize(n_words_ * 64);  // the padding has the first pattern
        std::memset(of_.data(), 0, of_.size() * sizeof(std::uint32_t));
        if (rows.reals) std::memcpy(of_.data(), rows.reals.groups_of(target), rows.n_samples * sizeof(std::uint32_t));
        columns.begin(rows.n_samples);
        counts.resize(0);
        ones.resize(0);
        parents_.resize(0);
        resize(rows.reals.n_groups);
        std::memset(n_.data(), 0, size() * sizeof(std::uint32_t));
        for (std::size_t s = 0; s < rows.n_samples; ++s) {
            ++n_[of_[s]];
            one(of_[s]) += static_cast<double>((target_[s / 64] >> (s % 64)) & 1);
        }
        for (std::size_t p = 0; p < size(); ++p) count(p) = n_[p];
        take_reals(rows, target);
    }

    std::size_t size() const { return parents_.size(); }
    std::size_t n_packs() const { return columns.n_packs(); }
    // Of sums of all columns.
    std::size_t padded() const { return n_reals_ + columns.padded(); }

    // to = start + the first n columns, each times its slope.
    void combine(double start, const double* slopes, std::size_t n, Pack* to) const {
        columns.combine(start, slopes + n_reals_, n - n_reals_, to);
        for (std::size_t k = 0; k < n_reals_; ++k)
            for (std::size_t p = 0; p < n_packs(); ++p) to[p] += slopes[k] * real(k)[p];
    }

    // sums[c], for the first n columns: of the values times the column.
    void sum(const Pack* values, std::size_t n, double* sums) const {
        for (std::size_t k = 0; k < n_reals_ && k < n; ++k) {
            Pack products{};
            for (std::size_t p = 0; p < n_packs(); ++p) products += values[p] * real(k)[p];
            sums[k] = total(products);
        }
        if (n > n_reals_) columns.sum(values, 0, n - n_reals_, sums + n_reals_);
    }

    // to = values times column c.
    void select(std::size_t c, const Pack* values, Pack* to) const {
        if (c >= n_reals_) return columns.select(c - n_reals_, values, to);
        for (std::size_t p = 0; p < n_packs(); ++p) to[p] = values[p] * real(c)[p];
    }

    // From which pattern the samples of this one came when it was new.
    std::size_t parent(std::size_t pattern) const { return parents_[pattern]; }
    // Which part of its parent's samples it took; until the next split.
    double share(std::size_t pattern) const {
        return count(pattern) / (count(pattern) + count(parent(pattern)));
    }

    void split(const std::uint64_t* column) {
        tally(column);
        const std::size_t before = size(), c = columns.size();
        columns.push();
        std::uint32_t after = static_cast<std::uint32_t>(before);
        parents_.resize(2 * before);
        for (std::uint32_t p = 0; p < before; ++p) {  // without branches, which nobody could predict
            const bool is_split = with_[p].n > 0 && with_[p].n < n_[p];
            parents_[after] = p;
            with_[p].goes_to = is_split ? after : p;
            columns.set(c, p, with_[p].n == n_[p]);
            after += is_split;
        }
        resize(after);
        if (after == before) return;
        for (std::size_t p = before; p < after; ++p) move_samples(parents_[p], p);
        for (std::size_t k = 0; k < n_reals_; ++k)
            for (std::size_t p = before; p < after; ++p) number(k, p) = number(k, parents_[p]);
        columns.copy_rows(parents_.data(), before, after, c);
        for (std::size_t p = before; p < after; ++p) columns.set(c, p, true);
        for_each_one(column, n_words_, [&](std::size_t s) { of_[s] = with_[of_[s]].goes_to; });
    }

    // The value of its pattern for each sample.
    void spread(const Pack* of_patterns, Pack* to) const {
        const double* values = reinterpret_cast<const double*>(of_patterns);
        double* of_samples = reinterpret_cast<double*>(to);
        for (std::size_t s = 0; s < of_.size(); ++s) of_samples[s] = values[of_[s]];
    }

  private:
    struct With {
        std::uint32_t n, ones, goes_to;
    };

    double count(std::size_t p) const { return reinterpret_cast<const double*>(counts.data())[p]; }
    double& count(std::size_t p) { return reinterpret_cast<double*>(counts.data())[p]; }
    double& one(std::size_t p) { return reinterpret_cast<double*>(ones.data())[p]; }

    const Pack* real(std::size_t k) const { return reals_.data() + k * room_; }
    double& number(std::size_t k, std::size_t p) { return reinterpret_cast<double*>(reals_.data() + k * room_)[p]; }

    void take_reals(BitRows rows, std::size_t target) {
        n_reals_ = rows.reals.n;
        if (!n_reals_) return;
        room_ = n_words_ * kPacksPerWord;
        reals_.zeros(n_reals_ * room_);
        for (std::size_t k = 0; k < n_reals_; ++k)
            for (std::size_t s = 0; s < rows.n_samples; ++s) number(k, of_[s]) = rows.real(target, k)[s];
    }

    void resize(std::size_t n) {
        parents_.resize(n);
        n_.resize(n);
        columns.set_rows(n);
        widen(counts, columns.n_packs());
        widen(ones, columns.n_packs());
    }

    // In each pattern the samples where the column is one, and those where the target is so too.
    void tally(const std::uint64_t* column) {
        with_.zeros(size());
        for (std::size_t w = 0; w < n_words_; ++w)
            for (std::uint64_t left = column[w]; left; left &= left - 1) {
                const std::size_t bit = lowest_one(left);
                With& with = with_[of_[w * 64 + bit]];
                ++with.n;
                with.ones += static_cast<std::uint32_t>((target_[w] >> bit) & 1);
            }
    }

    // The samples of a pattern where the new column is one go to a new pattern.
    void move_samples(std::size_t from, std::size_t to) {
        const With& with = with_[from];
        n_[to] = with.n;
        n_[from] -= with.n;
        count(to) = with.n;
        count(from) -= with.n;
        one(to) = with.ones;
        one(from) -= with.ones;
    }

    std::size_t n_words_ = 0, n_reals_ = 0, room_ = 0;  // room: packs of a real column
    Buffer<Pack> reals_;
    const std::uint64_t* target_ = nullptr;
    Buffer<std::uint32_t> of_, parents_, n_;  // n: the counts as whole numbers
    Buffer<With> with_;
};

}  // namespace markhood::MARKHOOD_TIER
