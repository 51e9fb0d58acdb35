// The design of an ordinal regression: units (samples, or rows of a table) with their counts, and one column of numbers for
// each score of each predictor. `Units` of fit/ordinal.hpp is the view of it that the likelihood reads.
#pragma once
#include "fit/ordinal.hpp"
#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

// Whether a variable enters by its step and not by indicators, which with two levels are the same.
static inline bool is_step(BitRows rows, std::size_t variable) {
    return rows.n_scores(variable) < rows.levels(variable) - 1;
}

class OrdinalDesign {
  public:
    Units units() const {
        Units all = units_;
        all.n_columns = columns_.size();
        all.columns = columns_.data();
        all.reach = reach_.data();
        return all;
    }

    // The units are rows of counts, (n, n_levels); there will be up to n_columns columns.
    void take_rows(std::size_t n, std::size_t n_levels, const double* counts, std::size_t n_columns) {
        begin(n, n_levels, n_columns);
        for (std::size_t i = 0; i < n; ++i) {
            double all = 0.0, sum = 0.0;
            for (std::size_t k = 0; k < n_levels; ++k) {
                const double count = counts[i * n_levels + k];
                level_totals_[k] += count;
                all += count;
                sum += static_cast<double>(k) * count;
            }
            put(totals_.data(), i, all);
            put(steps_.data(), i, sum);
        }
        units_.level = nullptr;
        units_.counts = counts;
    }

    // The units are the samples.
    void take_samples(BitRows rows, std::size_t target, std::size_t n_columns) {
        begin(rows.n_samples, rows.levels(target), n_columns);
        decode_steps(rows, target, steps_.data());
        level_.resize(rows.n_samples);
        for (std::size_t s = 0; s < rows.n_samples; ++s) {
            level_[s] = static_cast<std::uint16_t>(steps_[s / kPack][s % kPack]);
            level_totals_[level_[s]] += rows.weight(s);
            put(totals_.data(), s, rows.weight(s));
        }
        for (std::size_t p = 0; p < n_packs_; ++p) steps_[p] *= totals_[p];
        units_.level = level_.data();
        units_.counts = nullptr;
    }

    // The units and columns of another design, without the columns from `from` to `to`, and room for n_columns more.
    void share(const OrdinalDesign& other, std::size_t from, std::size_t to, std::size_t n_columns) {
        units_ = other.units_;
        n_packs_ = other.n_packs_;
        forget_columns(n_columns);
        for (std::size_t u = 0; u < other.columns_.size(); ++u) {
            if (u >= from && u < to) continue;
            columns_.push(other.columns_[u]);
            reach_.push(other.reach_[u]);
        }
    }

    // Adds the real columns of a target, before all others, and its offsets; sample_of(unit) has the unit's numbers.
    template <class SampleOf>
    void add_reals(BitRows rows, std::size_t target, SampleOf sample_of) {
        for (std::size_t k = 0; k < rows.reals.n; ++k) {
            const double* column = rows.real(target, k);
            Pack* to = next(0.0);
            for (std::size_t i = 0; i < units_.n; ++i) {
                const double value = column[sample_of(i)], size = value < 0 ? -value : value;
                put(to, i, value);
                if (size > reach_[k]) reach_[k] = size;
            }
            if (reach_[k] == 0.0) reach_[k] = 1.0;
        }
        units_.n_signed = rows.reals.n;
        const double* offset = rows.reals.offset_of(target);
        if (!offset) return;
        offsets_.zeros(n_packs_);
        for (std::size_t i = 0; i < units_.n; ++i) put(offsets_.data(), i, offset[sample_of(i)]);
        units_.offsets = offsets_.data();
    }

    // Adds a variable's columns, where the units are samples.
    void add(BitRows rows, std::size_t variable) {
        if (is_step(rows, variable)) return decode_steps(rows, variable, next(static_cast<double>(rows.levels(variable) - 1)));
        const std::uint64_t* row = rows.row(rows.first_row(variable));
        for (std::size_t k = 1; k < rows.levels(variable); ++k, row += rows.n_words) decode(rows, row, 1, next(1.0));
    }

    // The same where level_of(unit) is the variable's level.
    template <class LevelOf>
    void add(BitRows rows, std::size_t variable, LevelOf level_of) {
        if (is_step(rows, variable)) {
            Pack* to = next(static_cast<double>(rows.levels(variable) - 1));
            for (std::size_t i = 0; i < units_.n; ++i) put(to, i, static_cast<double>(level_of(i)));
            return;
        }
        Pack* first = nullptr;
        for (std::size_t k = 1; k < rows.levels(variable); ++k) {
            Pack* to = next(1.0);
            if (k == 1) first = to;
        }
        for (std::size_t i = 0; i < units_.n; ++i)
            if (const std::size_t k = level_of(i)) put(first + (k - 1) * n_packs_, i, 1.0);
    }

  private:
    static void put(Pack* to, std::size_t i, double value) { to[i / kPack][i % kPack] = value; }

    void begin(std::size_t n, std::size_t n_levels, std::size_t n_columns) {
        n_packs_ = n ? packs_for(n) : 1;
        for (Buffer<Pack>* of_units : {&totals_, &steps_}) of_units->zeros(n_packs_);
        level_totals_.zeros(n_levels);
        units_ = {};
        units_.n = n;
        units_.n_levels = n_levels;
        units_.totals = totals_.data();
        units_.steps = steps_.data();
        units_.level_totals = level_totals_.data();
        forget_columns(n_columns);
    }

    void forget_columns(std::size_t n_columns) {
        values_.resize(n_columns * n_packs_);
        used_ = 0;
        columns_.resize(0);
        reach_.resize(0);
    }

    Pack* next(double reach) {
        Pack* column = values_.data() + used_++ * n_packs_;
        clear(column, n_packs_);
        columns_.push(column);
        reach_.push(reach);
        return column;
    }

    static void clear(Pack* packs, std::size_t n) { std::memset(static_cast<void*>(packs), 0, n * sizeof(Pack)); }

    void decode_steps(BitRows rows, std::size_t variable, Pack* to) const {
        decode(rows, rows.row(rows.first_row(variable)), rows.levels(variable) - 1, to);
    }

    // Writes to every unit the number of the row, of `n` from `row` on, in which its bit is one, or else zero.
    void decode(BitRows rows, const std::uint64_t* row, std::size_t n, Pack* to) const {
        PackBits lanes;
        for (std::size_t k = 0; k < kPack; ++k) lanes[k] = std::int64_t{1} << k;
        for (std::size_t p = 0; p < n_packs_; ++p) {
            const std::size_t word = p * kPack / 64, shift = p * kPack % 64;
            Pack value{};
            for (std::size_t k = 0; k < n; ++k) {
                const auto bits = static_cast<std::int64_t>(row[k * rows.n_words + word] >> shift);
                value = ((PackBits{} + bits) & lanes) != 0 ? pack_of(static_cast<double>(k + 1)) : value;
            }
            to[p] = value;
        }
    }

    Units units_{};
    std::size_t n_packs_ = 0, used_ = 0;
    Buffer<Pack> totals_, steps_, values_, offsets_;
    Buffer<std::uint16_t> level_;
    Buffer<double> level_totals_, reach_;
    Buffer<const Pack*> columns_;
};

}  // namespace markhood::MARKHOOD_TIER
