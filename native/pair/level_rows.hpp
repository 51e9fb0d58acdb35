// What two variables of any levels are fitted on: the configurations of their neighbours that occur, with the counts of
// both variables' levels in each; or, where there could be more configurations than samples, the samples themselves.
// Hardly two samples then agree, and to look for those that do took a quarter of the time of a fit.
#pragma once
#include "count/level_table.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelRows {
  public:
    std::size_t n_rows = 0;

    // Of i, and j where not null, given `neighbours`.
    void build(BitRows rows, std::size_t i, const std::size_t* j, const std::int64_t* neighbours, std::size_t n) {
        rows_ = rows;
        n_neighbours_ = n;
        levels_i_ = rows.levels(i);
        levels_j_ = j ? rows.levels(*j) : 1;
        are_samples_ = rows.reals.group_stride || n_configurations(neighbours) > static_cast<double>(rows.n_samples);
        if (are_samples_) {
            n_rows = rows.n_samples;
            level_.resize((n + 2) * n_rows);
            for (std::size_t m = 0; m < n; ++m) decode(index_of(neighbours[m]), m);
            decode(i, n);
            if (j) decode(*j, n + 1);
        } else {
            table_.build(rows, i, neighbours, n);
            if (j) table_.count(*j);
            n_rows = table_.n_rows;
        }
    }

    // The level of the m-th neighbour in a row.
    std::size_t level(std::size_t row, std::size_t m) const {
        return are_samples_ ? level_[m * n_rows + row] : table_.configurations[row * n_neighbours_ + m];
    }

    // A sample that has the real columns of a row.
    std::size_t sample(std::size_t row) const { return are_samples_ ? row : table_.sample(row); }

    // Calls use(row, level of i, level of j, count) for all that are counted; j's level is 0 where there is no j.
    template <class Use>
    void each_count(Use use) const {
        if (are_samples_) {
            const std::uint16_t *of_i = level_.data() + n_neighbours_ * n_rows, *of_j = of_i + n_rows;
            for (std::size_t s = 0; s < n_rows; ++s)
                if (rows_.weight(s) > 0) use(s, of_i[s], levels_j_ > 1 ? of_j[s] : 0, rows_.weight(s));
            return;
        }
        const std::size_t cells = n_rows * levels_i_;
        const double* counts = levels_j_ > 1 ? table_.all_counts() : table_.counts.data();
        for (std::size_t r = 0; r < n_rows; ++r)
            for (std::size_t a = 0; a < levels_i_; ++a)
                for (std::size_t b = 0; b < levels_j_; ++b) {
                    const double n = counts[b * cells + r * levels_i_ + a];
                    if (n > 0) use(r, a, b, n);
                }
    }

  private:
    double n_configurations(const std::int64_t* neighbours) const {
        double n = static_cast<double>(rows_.reals.n_groups);
        for (std::size_t m = 0; m < n_neighbours_; ++m) n *= static_cast<double>(rows_.levels(index_of(neighbours[m])));
        return n;
    }

    void decode(std::size_t variable, std::size_t column) {
        std::uint16_t* to = level_.data() + column * n_rows;
        std::memset(to, 0, n_rows * sizeof(std::uint16_t));
        for_each_level(rows_, variable, [&](std::size_t s, std::size_t k) { to[s] = static_cast<std::uint16_t>(k); });
    }

    BitRows rows_{};
    std::size_t n_neighbours_ = 0, levels_i_ = 1, levels_j_ = 1;
    bool are_samples_ = false;
    Buffer<std::uint16_t> level_;  // column after column, those of i and j last
    LevelTable table_;
};

}  // namespace markhood::MARKHOOD_TIER
