// The screen for any number of levels and for weighted samples.
//
// Joint counts of all pairs of indicator rows of a block of variables with another block (counting.hpp) give every pair of
// variables its table. n MI <= n log(1 + phi^2) with phi^2 = sum n_ab^2 / (n_a n_b) - 1 spares most of them the logarithms.
//
// Where an end is ordered the ratio is that of a fit, which has far fewer parameters than the table, so that n MI is not a close
// bound. Where both ends have a single score, with means u_. and v_., the table
//
//     q = p_a p_b (1 + (u - u_.)(v - v_.) cov(u, v) / (var u var v))
//
// has the margins and the covariance of the data. So (newton.hpp) the ratio is at most n (1/2 + m/6 + m^2/3) times the squared
// correlation, where m < 1 is the largest share that a cell of q loses. A sum over the counts thus decides almost all pairs.
#pragma once
#include <cmath>

#include "count/counting.hpp"
#include "count/ordinal_design.hpp"
#include "fit/newton.hpp"
#include "machine/buffer.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kBlockRows = 128;  // of indicators on a side of a block, if its variables allow it

class PairTables {
  public:
    PairTables(BitRows rows, Planes planes) : rows_(rows), planes_(planes) {
        for (std::size_t s = 0; s < rows.n_samples; ++s) n_ += rows.weight(s);
    }

    // Calls visit(i, end_i, j, end_j) for every block of a tile, with its joint counts.
    template <typename Visit>
    void over_blocks(Tile tile, Visit visit) {
        for (std::size_t j = tile.first_column; j < tile.last_column;) {
            const std::size_t end_j = block_end(j, tile.last_column);
            for (std::size_t i = tile.first_row; i < tile.last_row && i + 1 < end_j;) {
                const std::size_t end_i = block_end(i, tile.last_row);
                stop_if_asked();
                count(i, end_i, j, end_j);
                visit(i, end_i, j, end_j);
                i = end_i;
            }
            j = end_j;
        }
    }

    // The joint counts of a row of the block with its columns.
    const double* joint(std::size_t row) const { return joint_.data() + row * stride_; }
    double total() const { return n_; }

    // The samples where a row is one.
    double ones(std::size_t row) const { return common(rows_.row(row), rows_.row(row)); }

    void screen(Tile tile, Criterion costs, TableSink sink) {
        over_blocks(tile, [&](std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
            count_margins(i, end_i, j, end_j);
            for (std::size_t a = i; a < end_i; ++a)
                for (std::size_t b = a < j ? j : a + 1; b < end_j; ++b) test(a, b, i, j, costs, sink);
        });
    }

    // The same for pairs that something else has chosen. Where few of a block's are wanted, rows that are counted one
    // with another are faster than blocks of them.
    void screen(const std::int64_t* pairs, std::size_t n_pairs, Criterion costs, TableSink sink) {
        for (std::size_t k = 0; k < n_pairs; ++k) {
            const std::size_t a = index_of(pairs[2 * k]), b = index_of(pairs[2 * k + 1]);
            stop_if_asked(k);
            count_margins(a, a + 1, b, b + 1);
            stride_ = rows_.levels(b) - 1;
            double* to = joint_.resize((rows_.levels(a) - 1) * stride_);
            for (std::size_t row = rows_.first_row(a); row < rows_.first_row(a + 1); ++row)
                for (std::size_t column = rows_.first_row(b); column < rows_.first_row(b + 1); ++column)
                    *to++ = common(rows_.row(row), rows_.row(column));
            test(a, b, a, b, costs, sink);
        }
    }

  private:
    // Mean and variance of a variable's steps, and the last of them.
    struct Moments {
        double mean, variance, last;
    };

    std::size_t block_end(std::size_t first, std::size_t last) const {
        std::size_t end = first + 1;
        while (end < last && rows_.first_row(end + 1) - rows_.first_row(first) <= kBlockRows) ++end;
        return end;
    }

    void count_margins(std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
        margins(i, end_i, margin_i_, moments_i_);
        margins(j, end_j, margin_j_, moments_j_);
    }

    void margins(std::size_t first, std::size_t end, Buffer<double>& to, Buffer<Moments>& moments) const {
        to.resize(0);
        for (std::size_t row = rows_.first_row(first); row < rows_.first_row(end); ++row) to.push(ones(row));
        if (rows_.ordered) find_moments(first, end, to, moments);
    }

    const std::uint64_t* plane(std::size_t p) const { return planes_.bits + p * rows_.n_words; }
    double scale(std::size_t plane) const { return std::ldexp(planes_.unit, static_cast<int>(plane)); }

    // How many samples two rows have in common, by weight.
    double common(const std::uint64_t* a, const std::uint64_t* b) const {
        if (!planes_.n) return static_cast<double>(count_common(a, b, rows_.n_words));
        double sum = 0.0;
        for (std::size_t p = 0; p < planes_.n; ++p) {
            std::uint64_t n = 0;
            for (std::size_t w = 0; w < rows_.n_words; ++w) n += ones_in(a[w] & b[w] & plane(p)[w]);
            sum += scale(p) * static_cast<double>(n);
        }
        return sum;
    }

    void count(std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
        const std::size_t first_i = rows_.first_row(i), n_i = rows_.first_row(end_i) - first_i;
        const std::size_t first_j = rows_.first_row(j), n_j = rows_.first_row(end_j) - first_j;
        stride_ = padded_to(kColumns, n_j);
        joint_.zeros(padded_to(kRows, n_i) * stride_);
        panel_.resize(rows_.n_words * kColumns);
        masked_.resize(planes_.n ? panel_.size() : 0);
        for (std::size_t c = 0; c < n_j; c += kColumns) {
            interleave(rows_, first_j + c, n_j - c, panel_.data());
            if (planes_.n == 0) add_counts(first_i, n_i, panel_.data(), c, 1.0);
            for (std::size_t p = 0; p < planes_.n; ++p) {
                for (std::size_t w = 0; w < rows_.n_words; ++w)
                    for (std::size_t k = 0; k < kColumns; ++k) masked_[w * kColumns + k] = panel_[w * kColumns + k] & plane(p)[w];
                add_counts(first_i, n_i, masked_.data(), c, scale(p));
            }
        }
    }

    void add_counts(std::size_t first_i, std::size_t n_i, const std::uint64_t* panel, std::size_t column, double times) {
        alignas(64) double counted[Lanes::width];
        for (std::size_t i = 0; i < n_i; i += kRows) {
            BlockSums sums;
            count_block(RowBlock(rows_, first_i + i, n_i - i), panel, rows_.n_words, sums);
            for (std::size_t r = 0; r < kRows; ++r)
                for (std::size_t l = 0; l < kLanes; ++l) {
                    Lanes::store(counted, sums[r][l]);
                    double* to = &joint_[(i + r) * stride_ + column + l * Lanes::width];
                    for (int k = 0; k < Lanes::width; ++k) to[k] += times * counted[k];
                }
        }
    }

    void test(std::size_t a, std::size_t b, std::size_t i, std::size_t j, Criterion costs, TableSink sink) {
        const std::size_t levels_a = rows_.levels(a), levels_b = rows_.levels(b);
        const std::size_t n_cells = (levels_a - 1) * (levels_b - 1);  // of the table that are free, given its margins
        const std::size_t parameters = rows_.n_parameters(a, b);
        const double price = costs.price(parameters, 1);
        if (price != priced_) {  // nearly all pairs have the price of the one before
            priced_ = price;
            // Loosened by a hair, so that rounding never drops a pair.
            least_phi_squared_ = std::expm1(price / n_) * (1.0 - 1e-9) - 1e-12;
        }
        const std::size_t row = rows_.first_row(a) - rows_.first_row(i);
        const std::size_t column = rows_.first_row(b) - rows_.first_row(j);
        const bool is_fitted = parameters < n_cells;
        const double* joint = joint_.data() + row * stride_ + column;
        if (is_fitted && parameters == 1 && correlation_bound(moments_i_[a - i], moments_j_[b - j], joint) < price) return;
        fill(row_totals_, margin_i_.data() + row, levels_a);
        fill(column_totals_, margin_j_.data() + column, levels_b);
        fill_cells(joint, levels_a, levels_b);
        if (phi_squared(levels_a, levels_b) < least_phi_squared_) return;
        const double ratio = is_fitted ? fitted_ratio(a, b, price) : likelihood_ratio(levels_a, levels_b);
        if (ratio >= price) sink(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), ratio);
    }

    void fill_cells(const double* joint, std::size_t levels_a, std::size_t levels_b) {
        cells_.resize(levels_a * levels_b);
        for (std::size_t l = 0; l < levels_b; ++l) cells_[l] = column_totals_[l];
        for (std::size_t k = 1; k < levels_a; ++k) {
            double first = row_totals_[k];
            for (std::size_t l = 1; l < levels_b; ++l) {
                const double n = joint[(k - 1) * stride_ + l - 1];
                cells_[k * levels_b + l] = n;
                cells_[l] -= n;
                first -= n;
            }
            cells_[k * levels_b] = first;
            cells_[0] -= first;
        }
    }

    void find_moments(std::size_t first, std::size_t end, const Buffer<double>& margin, Buffer<Moments>& to) const {
        to.resize(end - first);
        for (std::size_t v = first; v < end; ++v) {
            const double* totals = margin.data() + rows_.first_row(v) - rows_.first_row(first);
            double sum = 0.0, square = 0.0;
            for (std::size_t k = 1; k < rows_.levels(v); ++k) {
                sum += static_cast<double>(k) * totals[k - 1];
                square += static_cast<double>(k * k) * totals[k - 1];
            }
            const double mean = sum / n_;
            to[v - first] = {mean, square / n_ - mean * mean, static_cast<double>(rows_.levels(v) - 1)};
        }
    }

    // What the likelihood ratio of two variables with a single score each is at most.
    __attribute__((noinline)) double correlation_bound(const Moments& a, const Moments& b, const double* joint) const {
        double cross = 0.0;
        for (std::size_t k = 1; k <= static_cast<std::size_t>(a.last); ++k) {
            double of_row = 0.0;
            for (std::size_t l = 1; l <= static_cast<std::size_t>(b.last); ++l)
                of_row += static_cast<double>(l) * joint[(k - 1) * stride_ + l - 1];
            cross += static_cast<double>(k) * of_row;
        }
        const double covariance = cross / n_ - a.mean * b.mean, both = a.variance * b.variance;
        if (!(both > 0)) return 0.0;
        const double up = a.mean * (b.last - b.mean), down = (a.last - a.mean) * b.mean, low = a.mean * b.mean,
                     high = (a.last - a.mean) * (b.last - b.mean);
        const double farthest = covariance > 0 ? (up > down ? up : down) : (low > high ? low : high);
        const double lost = std::fabs(covariance) / both * farthest;
        return lost < 1.0 ? n_ * most_divergence(lost) * covariance * covariance / both * (1.0 + 1e-9) + 1e-9 : HUGE_VAL;
    }

    // The regression of an end with a single score on the other against none, or, where that is seen to be less than
    // `price`, a number between the two. With all margins of the other end that is the ratio in the pair's table. Kept
    // out of the loop over pairs: most pairs never reach it.
    __attribute__((noinline)) double fitted_ratio(std::size_t a, std::size_t b, double price) {
        const bool of_a = rows_.n_scores(a) == 1;
        const std::size_t target = of_a ? a : b, other = of_a ? b : a;
        const std::size_t levels = rows_.levels(target), n_units = rows_.levels(other);
        const double* totals = of_a ? row_totals_.data() : column_totals_.data();
        counts_.resize(n_units * levels);
        for (std::size_t i = 0; i < n_units; ++i)
            for (std::size_t k = 0; k < levels; ++k)
                counts_[i * levels + k] = of_a ? cells_[k * n_units + i] : cells_[i * levels + k];
        units_.take_rows(n_units, levels, counts_.data(), rows_.n_scores(other));
        units_.add(rows_, other, [](std::size_t i) { return i; });
        model_.set(units_.units());
        fit_.coefficients.zeros(levels - 1 + rows_.n_scores(other));
        double alone = 0.0;
        for (std::size_t k = 0; k < levels; ++k) {
            if (totals[k] > 0) alone += totals[k] * std::log(totals[k] / n_);
            if (k && totals[0] > 0 && totals[k] > 0) fit_.coefficients[k - 1] = std::log(totals[k] / totals[0]);
        }
        return fit_.maximise(model_, 0.0, 0.0, alone + price - 2 * kBoundRounding) - alone;
    }

    // The totals of all levels, the first being what the others leave.
    void fill(Buffer<double>& totals, const double* others, std::size_t levels) const {
        totals.resize(levels);
        totals[0] = n_;
        for (std::size_t k = 1; k < levels; ++k) totals[0] -= totals[k] = others[k - 1];
    }

    double phi_squared(std::size_t levels_a, std::size_t levels_b) {
        inverse_.resize(levels_b);  // inverse totals, because there are fewer of them than cells to divide
        for (std::size_t l = 0; l < levels_b; ++l) inverse_[l] = column_totals_[l] > 0 ? 1.0 / column_totals_[l] : 0.0;
        double sum = -1.0;
        for (std::size_t k = 0; k < levels_a; ++k) {
            double of_row = 0.0;
            for (std::size_t l = 0; l < levels_b; ++l) {
                const double n = cells_[k * levels_b + l];
                of_row += n * n * inverse_[l];
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
    double n_ = 0.0, priced_ = HUGE_VAL, least_phi_squared_ = 0.0;
    std::size_t stride_ = 0;
    Buffer<std::uint64_t> panel_, masked_;
    Buffer<double> joint_, margin_i_, margin_j_, row_totals_, column_totals_, inverse_, cells_, counts_;
    Buffer<Moments> moments_i_, moments_j_;
    OrdinalDesign units_;
    OrdinalModel model_;
    Newton<OrdinalModel> fit_;
};

static void associated_tables(BitRows rows, Planes planes, Tile tile, Criterion costs, TableSink sink) {
    PairTables(rows, planes).screen(tile, costs, sink);
}

static void associated_among(BitRows rows, Planes planes, const std::int64_t* pairs, std::size_t n_pairs, Criterion costs,
                             TableSink sink) {
    PairTables(rows, planes).screen(pairs, n_pairs, costs, sink);
}

}  // namespace markhood::MARKHOOD_TIER
