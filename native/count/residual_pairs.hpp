// The screen of binary variables given real columns: approximate likelihood ratios, from joint counts.
//
// Let p_i be the probabilities of variable i in every sample, given the columns. The score statistic of a pair is U^2 / V with
//
//     U = sum of (x_i x_j - p_i p_j),   V = sum of p_i (1 - p_i) p_j (1 - p_j).
//
// The likelihood ratio is about U^2 / (2 V) for common values. For rare ones it is much less, as it is in the pair's table
// with the counts E that the probabilities expect: there the ratio is the sum of E h(+-U / E) over the cells, h(x) = (1 + x)
// log(1 + x) - x, and half the score statistic is U^2 / 2 times the sum of 1 / E. The latter is corrected to U^2 / (2 V), and
// the former by the same factor. As h(x) <= x^2, the result is at most U^2 / V, which decides nearly all pairs.
// The probabilities are smooth functions of few columns, so the sums of their products are inner products of short vectors,
// which Python computes (scores/given.py). Then a pair costs a joint count and a few multiplications.
#pragma once
#include "count/associated_tables.hpp"

namespace markhood::MARKHOOD_TIER {

// Short vectors of a block of variables, component after component.
static inline void transpose(const ShortVectors& from, std::size_t first, std::size_t n, Buffer<double>& to) {
    to.resize(from.length * n);
    for (std::size_t k = 0; k < from.length; ++k)
        for (std::size_t c = 0; c < n; ++c) to[k * n + c] = from.of(first + c)[k];
}

static inline void add_products(const double* row, double sign, const Buffer<double>& columns, std::size_t length,
                                std::size_t n, double* to) {
    for (std::size_t k = 0; k < length; ++k) {
        const double x = sign * row[k];
        const double* column = columns.data() + k * n;
        for (std::size_t c = 0; c < n; ++c) to[c] += x * column[c];
    }
}

// The sum of E h(+-U / E) over the cells of a pair's table, divided by that of 1 / E.
static inline double scaled_ratio(double both, double score, double ones_i, double ones_j, double n) {
    const double expected = both - score;
    const double cells[4] = {expected, ones_i - expected, ones_j - expected, n - ones_i - ones_j + expected};
    double ratio = 0.0, inverse = 0.0;
    for (int k = 0; k < 4; ++k) {
        const double cell = cells[k] > 1e-9 ? cells[k] : 1e-9, found = cell + (k == 0 || k == 3 ? score : -score);
        ratio += (found > 0 ? found * std::log(found / cell) : 0.0) - (found - cell);
        inverse += 1.0 / cell;
    }
    return ratio / inverse;
}

static void associated_residuals(BitRows rows, Planes planes, Tile tile, ShortVectors means, ShortVectors variances,
                                 double least, double least_variance, TableSink sink) {
    PairTables tables(rows, planes);
    const double n_samples = tables.total();
    Buffer<double> column_means, column_variances;
    double score[kBlockRows], spread[kBlockRows], ones[kBlockRows];
    tables.over_blocks(tile, [&](std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
        const std::size_t n = end_j - j;
        transpose(means, j, n, column_means);
        transpose(variances, j, n, column_variances);
        for (std::size_t c = 0; c < n; ++c) ones[c] = tables.ones(j + c);
        for (std::size_t a = i; a < end_i; ++a) {
            const double *joint = tables.joint(a - i), own = tables.ones(a);
            for (std::size_t c = 0; c < n; ++c) {
                score[c] = joint[c];
                spread[c] = 0.0;
            }
            add_products(means.of(a), -1.0, column_means, means.length, n, score);
            add_products(variances.of(a), 1.0, column_variances, variances.length, n, spread);
            std::size_t n_passing = 0;
            for (std::size_t c = 0; c < n; ++c) {
                spread[c] = spread[c] > least_variance ? spread[c] : least_variance;
                n_passing += score[c] * score[c] >= least * spread[c];
            }
            for (std::size_t c = a < j ? 0 : a + 1 - j; n_passing && c < n; ++c) {
                if (score[c] * score[c] < least * spread[c]) continue;
                const double ratio = scaled_ratio(joint[c], score[c], own, ones[c], n_samples) / spread[c];
                if (ratio >= least) sink(static_cast<std::int64_t>(a), static_cast<std::int64_t>(j + c), ratio);
            }
        }
    });
}

}  // namespace markhood::MARKHOOD_TIER
