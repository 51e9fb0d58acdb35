// The screen for any number of levels and for weighted samples.
//
// Joint counts of all pairs of indicator rows of a block of variables with another block, by the loop of
// counting.hpp; a weighted count is the sum of the counts in each binary digit of the weights, times
// two to its place. Then every pair of variables has its table, and n MI <= n log(1 + phi^2) with
// phi^2 = sum n_ab^2 / (n_a n_b) - 1 spares most of them the logarithms.
#pragma once
#include <cmath>

#include "buffer.hpp"
#include "counting.hpp"
#include "words.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kBlockRows = 128;  // of indicators on a side of a block, if its variables allow it

class PairTables {
  public:
    PairTables(BitRows rows, Planes planes) : rows_(rows), planes_(planes) {}

    void screen(Tile tile, double parameter_cost, double variable_cost, TableSink sink) {
        n_ = 0.0;
        for (std::size_t s = 0; s < rows_.n_samples; ++s) n_ += rows_.weight(s);
        for (std::size_t j = tile.first_column; j < tile.last_column;) {
            const std::size_t end_j = block_end(j, tile.last_column);
            for (std::size_t i = tile.first_row; i < tile.last_row && i + 1 < end_j;) {
                const std::size_t end_i = block_end(i, tile.last_row);
                count(i, end_i, j, end_j);
                for (std::size_t a = i; a < end_i; ++a)
                    for (std::size_t b = a < j ? j : a + 1; b < end_j; ++b)
                        test(a, b, i, j, parameter_cost, variable_cost, sink);
                i = end_i;
            }
            j = end_j;
        }
    }

  private:
    std::size_t block_end(std::size_t first, std::size_t last) const {
        std::size_t end = first + 1;
        while (end < last && rows_.first_row(end + 1) - rows_.first_row(first) <= kBlockRows) ++end;
        return end;
    }

    void count(std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
        const std::size_t first_i = rows_.first_row(i), n_i = rows_.first_row(end_i) - first_i;
        const std::size_t first_j = rows_.first_row(j), n_j = rows_.first_row(end_j) - first_j;
        margins(first_i, n_i, margin_i_);
        margins(first_j, n_j, margin_j_);
        stride_ = padded_to(kColumns, n_j);
        joint_.resize(padded_to(kRows, n_i) * stride_);
        std::memset(joint_.data(), 0, joint_.size() * sizeof(double));
        panel_.resize(rows_.n_words * kColumns);
        for (std::size_t c = 0; c < n_j; c += kColumns) {
            interleave(rows_, first_j + c, n_j - c, panel_.data());
            if (planes_.n == 0) add_counts(first_i, n_i, panel_.data(), c, 1.0);
            masked_.resize(planes_.n ? panel_.size() : 0);
            for (std::size_t p = 0; p < planes_.n; ++p) {
                const std::uint64_t* plane = planes_.bits + p * rows_.n_words;
                for (std::size_t w = 0; w < rows_.n_words; ++w)
                    for (std::size_t k = 0; k < kColumns; ++k)
                        masked_[w * kColumns + k] = panel_[w * kColumns + k] & plane[w];
                add_counts(first_i, n_i, masked_.data(), c, std::ldexp(planes_.unit, static_cast<int>(p)));
            }
        }
    }

    void add_counts(std::size_t first_i, std::size_t n_i, const std::uint64_t* panel, std::size_t column, double scale) {
        alignas(64) double counted[Lanes::width];
        for (std::size_t i = 0; i < n_i; i += kRows) {
            BlockSums sums;
            count_block(RowBlock(rows_, first_i + i, n_i - i), panel, rows_.n_words, sums);
            for (std::size_t r = 0; r < kRows; ++r) {
                for (std::size_t l = 0; l < kLanes; ++l) {
                    Lanes::store(counted, sums[r][l]);
                    double* to = &joint_[(i + r) * stride_ + column + l * Lanes::width];
                    for (int k = 0; k < Lanes::width; ++k) to[k] += scale * counted[k];
                }
            }
        }
    }

    void margins(std::size_t first, std::size_t n, Buffer<double>& to) const {
        to.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t* row = rows_.row(first + k);
            to[k] = planes_.n ? 0.0 : static_cast<double>(count_common(row, row, rows_.n_words));
            for (std::size_t p = 0; p < planes_.n; ++p)
                to[k] += std::ldexp(planes_.unit, static_cast<int>(p)) *
                         static_cast<double>(count_common(row, planes_.bits + p * rows_.n_words, rows_.n_words));
        }
    }

    void test(std::size_t a, std::size_t b, std::size_t i, std::size_t j, double parameter_cost, double variable_cost,
              TableSink sink) {
        const std::size_t levels_a = rows_.levels(a), levels_b = rows_.levels(b);
        const double parameters = static_cast<double>((levels_a - 1) * (levels_b - 1));
        const double price = parameters * parameter_cost + variable_cost;
        const std::size_t row = rows_.first_row(a) - rows_.first_row(i);
        const std::size_t column = rows_.first_row(b) - rows_.first_row(j);
        fill(row_totals_, margin_i_.data() + row, levels_a);
        fill(column_totals_, margin_j_.data() + column, levels_b);
        cells_.resize(levels_a * levels_b);
        for (std::size_t l = 0; l < levels_b; ++l) cells_[l] = column_totals_[l];
        for (std::size_t k = 1; k < levels_a; ++k) {
            double first = row_totals_[k];
            for (std::size_t l = 1; l < levels_b; ++l) {
                const double n = joint_[(row + k - 1) * stride_ + column + l - 1];
                cells_[k * levels_b + l] = n;
                cells_[l] -= n;
                first -= n;
            }
            cells_[k * levels_b] = first;
            cells_[0] -= first;
        }
        // Loosened by a hair, so that rounding never drops a pair.
        if (phi_squared(levels_a, levels_b) < std::expm1(price / n_) * (1.0 - 1e-9) - 1e-12) return;
        const double ratio = likelihood_ratio(levels_a, levels_b);
        if (ratio >= price) sink(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), ratio);
    }

    // The totals of all levels, the first being what the others leave.
    void fill(Buffer<double>& totals, const double* others, std::size_t levels) const {
        totals.resize(levels);
        totals[0] = n_;
        for (std::size_t k = 1; k < levels; ++k) totals[0] -= totals[k] = others[k - 1];
    }

    double phi_squared(std::size_t levels_a, std::size_t levels_b) const {
        double sum = -1.0;
        for (std::size_t k = 0; k < levels_a; ++k) {
            double of_row = 0.0;
            for (std::size_t l = 0; l < levels_b; ++l) {
                const double n = cells_[k * levels_b + l];
                of_row += column_totals_[l] > 0 ? n * n / column_totals_[l] : 0.0;
            }
            sum += row_totals_[k] > 0 ? of_row / row_totals_[k] : 0.0;
        }
        return sum;
    }

    double likelihood_ratio(std::size_t levels_a, std::size_t levels_b) const {
        const auto n_log_n = [](double n) { return n > 0 ? n * std::log(n) : 0.0; };
        double cells = 0.0, of_a = 0.0, of_b = 0.0;
        for (std::size_t c = 0; c < levels_a * levels_b; ++c) cells += n_log_n(cells_[c]);
        for (std::size_t k = 0; k < levels_a; ++k) of_a += n_log_n(row_totals_[k]);
        for (std::size_t l = 0; l < levels_b; ++l) of_b += n_log_n(column_totals_[l]);
        return (cells - of_b) - (of_a - n_log_n(n_));
    }

    BitRows rows_;
    Planes planes_;
    double n_ = 0.0;
    std::size_t stride_ = 0;
    Buffer<std::uint64_t> panel_, masked_;
    Buffer<double> joint_, margin_i_, margin_j_, row_totals_, column_totals_, cells_;
};

static void associated_tables(BitRows rows, Planes planes, Tile tile, double parameter_cost, double variable_cost,
                              TableSink sink) {
    PairTables(rows, planes).screen(tile, parameter_cost, variable_cost, sink);
}

}  // namespace markhood::MARKHOOD_TIER
