// The contingency table of a target with its blanket, for any number of levels and for weighted
// samples, ready to take in one variable more.
//
// Every sample has the number of its cell: its configuration of the blanket and of real columns, and the target's level. A
// candidate is counted by walking through the ones of its indicator rows, and its first level is the
// rest. That costs a step a sample, but is the same for any number of cells, and a weight is simply added. While
// cells are few, and samples count once, each cell has a bit mask as in table.hpp, made when the first candidate comes: then
// a candidate costs a step for 64 samples of some cells.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kMaxMaskedCells = 32 * Lanes::width;
constexpr std::size_t kMaxStaged = 1 << 22;  // samples of all stages: 16 MB
constexpr std::size_t kMaxMaskWords = 1 << 16;  // what a second-level cache holds

// Where it can, the library's lgamma writes to a global variable, and several threads are here.
static inline double log_gamma(double x) {
#if defined(_WIN32)
    return std::lgamma(x);
#else
    int sign;
    return lgamma_r(x, &sign);
#endif
}

class LevelTable {
  public:
    std::size_t n_rows = 0, n_levels = 0;  // of the target
    Buffer<std::uint16_t> configurations;  // a level for every row and blanket member
    Buffer<double> counts;                 // a number for every row and level of the target

    // The rows of the table split by a candidate that occur: from which row, with which level.
    std::size_t n_split = 0;
    Buffer<std::uint32_t> split_row;
    Buffer<std::uint16_t> split_level;
    Buffer<double> split_counts;

    // Where configurations are not wanted, a table begins with what the one before has of the same first members.
    void build(BitRows rows, std::size_t target, const std::int64_t* blanket, std::size_t size, bool wants_configurations = true) {
        rows_ = rows;
        target_ = target;
        has_masks_ = false;
        wants_configurations_ = wants_configurations;
        n_levels = rows.levels(target);
        configurations.resize(0);
        begin_rows();
        for (std::size_t k = resume(blanket, size); k < size; ++k) {
            split_rows(static_cast<std::size_t>(blanket[k]), k);
            keep_stage(blanket[k], k);
        }
        decode(target);
        if (rows.reals) sample_.resize(n_rows);
        counts.zeros(n_rows * n_levels);
        for (std::size_t s = 0; s < rows.n_samples; ++s) {
            if (rows.reals) sample_[cell_[s]] = static_cast<std::uint32_t>(s);
            cell_[s] = static_cast<std::uint32_t>(cell_[s] * n_levels + level_[s]);
            counts[cell_[s]] += rows.weight(s);
        }
    }

    // A sample of a row, where there are real columns: all of the row have the same numbers in them.
    std::size_t sample(std::size_t row) const { return sample_[row]; }

    // Counts the cells by the candidate's levels: all_counts()[level * cells + row * n_levels + target's].
    void count(std::size_t candidate) {
        const std::size_t cells = n_rows * n_levels, levels = rows_.levels(candidate);
        const bool masked = is_masked();
        if (masked && !has_masks_) make_masks();
        all_.resize(levels * cells + Lanes::width);
        std::memcpy(all_.data(), counts.data(), cells * sizeof(double));
        for (std::size_t k = 1; k < levels; ++k) {
            double* to = all_.data() + k * cells;
            const std::uint64_t* row = rows_.row(rows_.first_row(candidate) + k - 1);
            masked ? count_masks(row, to) : count_samples(row, to);
            for (std::size_t c = 0; c < cells; ++c) all_[c] -= to[c];
        }
    }
    const double* all_counts() const { return all_.data(); }

    // Calls `visit` with the row, the target's level, the candidate's level and the count of every cell that occurs. Where
    // cells are many, nearly all are empty: only those of samples are visited, in the order of the samples.
    template <class Visit> void for_each_cell(std::size_t candidate, Visit&& visit) {
        const std::size_t cells = n_rows * n_levels, levels = rows_.levels(candidate);
        if (is_masked()) {
            count(candidate);
            for (std::size_t k = 0, c = 0; k < levels; ++k)
                for (std::size_t r = 0; r < n_rows; ++r)
                    for (std::size_t t = 0; t < n_levels; ++t, ++c)
                        if (all_[c] > 0) visit(r, t, k, all_[c]);
            return;
        }
        decode(candidate);
        if (occupied_.size() < levels * cells) occupied_.zeros(levels * cells);
        for (std::size_t s = 0; s < rows_.n_samples; ++s) occupied_[level_[s] * cells + cell_[s]] += rows_.weight(s);
        for (std::size_t s = 0; s < rows_.n_samples; ++s) {
            double& n = occupied_[level_[s] * cells + cell_[s]];
            if (n > 0) visit(cell_[s] / n_levels, cell_[s] % n_levels, level_[s], n);
            n = 0.0;  // visited; the next candidate finds zeros
        }
    }

    void split_by(std::size_t candidate) {
        count(candidate);
        split_counted(candidate);
    }

    // The same for the candidate that was counted last.
    void split_counted(std::size_t candidate) {
        const std::size_t levels = rows_.levels(candidate);
        n_split = 0;
        split_row.resize(levels * n_rows);
        split_level.resize(levels * n_rows);
        split_counts.resize(levels * n_rows * n_levels);
        for (std::size_t k = 0; k < levels; ++k) {
            for (std::size_t r = 0; r < n_rows; ++r) {
                const double* from = all_.data() + (k * n_rows + r) * n_levels;
                double* to = split_counts.data() + n_split * n_levels;
                double total = 0.0;
                for (std::size_t t = 0; t < n_levels; ++t) total += to[t] = from[t];
                if (!(total > 0)) continue;
                split_row[n_split] = static_cast<std::uint32_t>(r);
                split_level[n_split++] = static_cast<std::uint16_t>(k);
            }
        }
    }

  private:
    bool is_masked() const {
        const std::size_t cells = n_rows * n_levels;
        return !rows_.weights && cells <= kMaxMaskedCells && cells * rows_.n_words <= kMaxMaskWords;
    }

    // One row of all samples, or one for every group of samples that coincide in the real columns.
    void begin_rows() {
        n_rows = 1;
        cell_.resize(rows_.n_samples);
        if (!rows_.reals) {
            std::memset(cell_.data(), 0, rows_.n_samples * sizeof(std::uint32_t));
            return;
        }
        std::memcpy(cell_.data(), rows_.reals.groups_of(target_), rows_.n_samples * sizeof(std::uint32_t));
        for (std::size_t s = 0; s < rows_.n_samples; ++s) n_rows = cell_[s] < n_rows ? n_rows : cell_[s] + 1;
    }

    // Returns how many members the rows are split by already.
    std::size_t resume(const std::int64_t* blanket, std::size_t size) {
        std::size_t k = 0;
        while (!wants_configurations_ && k < size && k < staged_.size() && staged_[k].member == blanket[k]) ++k;
        staged_.resize(k);
        if (k == 0) return 0;
        n_rows = staged_[k - 1].n_rows;
        std::memcpy(cell_.data(), stages_.data() + (k - 1) * rows_.n_samples, rows_.n_samples * sizeof(std::uint32_t));
        return k;
    }

    void keep_stage(std::int64_t member, std::size_t k) {
        if (wants_configurations_ || rows_.reals || k != staged_.size() || (k + 1) * rows_.n_samples > kMaxStaged) return;
        staged_.push({member, n_rows});
        stages_.resize((k + 1) * rows_.n_samples);
        std::memcpy(stages_.data() + k * rows_.n_samples, cell_.data(), rows_.n_samples * sizeof(std::uint32_t));
    }

    void decode(std::size_t variable) {
        level_.zeros(rows_.n_samples);
        for_each_level(rows_, variable, [&](std::size_t s, std::size_t k) { level_[s] = static_cast<std::uint16_t>(k); });
    }

    // Rows are numbered as they turn up among the samples; samples without weight make no row.
    void split_rows(std::size_t variable, std::size_t k) {
        decode(variable);
        const std::size_t levels = rows_.levels(variable);
        renumbered_.resize(n_rows * levels);
        std::memset(renumbered_.data(), 0xff, n_rows * levels * sizeof(std::uint32_t));
        const std::size_t most = n_rows * levels < rows_.n_samples ? n_rows * levels : rows_.n_samples;
        next_.resize(wants_configurations_ ? most * (k + 1) : 0);
        std::uint32_t n = 0;
        for (std::size_t s = 0; s < rows_.n_samples; ++s) {
            std::uint32_t& number = renumbered_[cell_[s] * levels + level_[s]];
            if (number == UINT32_MAX) {
                if (wants_configurations_) note_row(n, k, cell_[s], level_[s]);
                number = n++;
            }
            cell_[s] = number;
        }
        n_rows = n;
        configurations.swap(next_);
    }

    // Writes the configuration of a row that splits off the row `from`.
    void note_row(std::size_t row, std::size_t k, std::size_t from, std::uint16_t level) {
        std::uint16_t* to = next_.data() + row * (k + 1);
        if (k) std::memcpy(to, configurations.data() + from * k, k * sizeof(std::uint16_t));
        to[k] = level;
    }

    // Word w of as many cells as there are lanes side by side, for w = 0, 1, ...; then the next cells.
    void make_masks() {
        const std::size_t blocks = (n_rows * n_levels + Lanes::width - 1) / Lanes::width, words = rows_.n_words;
        masks_.zeros(blocks * words * Lanes::width);
        for (std::size_t s = 0; s < rows_.n_samples; ++s) {
            const std::size_t block = cell_[s] / Lanes::width, lane = cell_[s] % Lanes::width;
            masks_[(block * words + s / 64) * Lanes::width + lane] |= std::uint64_t{1} << (s % 64);
        }
        has_masks_ = true;
    }

    // Writes whole lanes, and so beyond the last cell.
    void count_masks(const std::uint64_t* row, double* to) const {
        const std::uint64_t* mask = masks_.data();
        for (std::size_t c = 0; c < n_rows * n_levels; c += Lanes::width) {
            auto sums = Lanes::zero();
            for (std::size_t w = 0; w < rows_.n_words; ++w, mask += Lanes::width)
                sums = Lanes::add_common(sums, Lanes::broadcast(row[w]), Lanes::load(mask));
            Lanes::store(to + c, sums);
        }
    }

    void count_samples(const std::uint64_t* row, double* to) const {
        std::memset(to, 0, n_rows * n_levels * sizeof(double));
        for_each_one(row, rows_.n_words, [&](std::size_t s) { to[cell_[s]] += rows_.weight(s); });
    }

    // A member that the rows of a table were split by, and how many rows there were then.
    struct Stage {
        std::int64_t member;
        std::size_t n_rows;
    };

    BitRows rows_{};
    std::size_t target_ = 0;
    Buffer<Stage> staged_;
    Buffer<std::uint32_t> stages_;  // the samples' rows at each stage
    bool has_masks_ = false, wants_configurations_ = true;
    Buffer<std::uint64_t> masks_;
    Buffer<std::uint32_t> cell_, renumbered_, sample_;
    Buffer<std::uint16_t> level_, next_;
    Buffer<double> all_, occupied_;  // the second is zero between two calls
};

}  // namespace markhood::MARKHOOD_TIER
