// The marginal pseudo-likelihood of a blanket: a Dirichlet prior integrated out in every row.
//
//     sum over rows of  log G(r/2) - log G(n + r/2) + sum over the target's r levels of
//                       log G(n_x + 1/2) - log G(1/2)
//
// A candidate splits the rows. Taking a member out merges rows; the smaller table is simply built again, since few
// blankets shrink. Binary variables whose samples count once have whole numbers in their tables, and so
// look up their log-gammas; others compute them.
#pragma once
#include <cmath>

#include "count/level_table.hpp"
#include "count/table.hpp"

namespace markhood::MARKHOOD_TIER {

// Sums over a table of binary variables.
struct BinaryMarginal {
    using Table = BlanketTable;

    static double of(const Table& table, Criterion criterion) {
        return sum(table.ones.data(), table.totals.data(), table.n_packs, criterion.log_gamma);
    }
    static double of_split(const Table& table, Criterion criterion) {
        const std::size_t n = table.n_packs;
        return sum(table.ones.data() + n, table.totals.data() + n, 2 * n, criterion.log_gamma);
    }

  private:
    static double sum(const Pack* ones, const Pack* totals, std::size_t n_packs, const double* log_gamma) {
        double sum = 0.0;
        for (std::size_t p = 0; p < n_packs; ++p) {
            for (std::size_t k = 0; k < kPack; ++k) {
                const auto all = static_cast<std::size_t>(totals[p][k]), one = static_cast<std::size_t>(ones[p][k]);
                sum += log_gamma[2 * one] + log_gamma[2 * (all - one)] - log_gamma[2 * all + 1];
            }
        }
        return sum;
    }
};

// Sums over a table of any levels and weights.
struct LevelMarginal {
    using Table = LevelTable;

    static double of(const Table& table, Criterion) { return sum(table.counts.data(), table.n_rows, table.n_levels); }
    static double of_split(const Table& table, Criterion) {
        return sum(table.split_counts.data(), table.n_split, table.n_levels);
    }

  private:
    static double sum(const double* counts, std::size_t n_rows, std::size_t n_levels) {
        const double prior = 0.5 * static_cast<double>(n_levels);
        double sum = 0.0;
        for (std::size_t r = 0; r < n_rows; ++r) {
            double total = 0.0;
            for (std::size_t k = 0; k < n_levels; ++k) {
                const double n = counts[r * n_levels + k];
                total += n;
                if (n > 0) sum += log_gamma(n + 0.5) - log_gamma(0.5);
            }
            sum += log_gamma(prior) - log_gamma(total + prior);
        }
        return sum;
    }
};

template <class Marginal>
class DirichletScorer {
  public:
    DirichletScorer(BitRows rows, Criterion criterion) : rows_(rows), criterion_(criterion) {}

    // Makes `blanket` the current one and returns its score.
    double set_blanket(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        target_ = target;
        blanket_.resize(size);
        for (std::size_t k = 0; k < size; ++k) blanket_[k] = blanket[k];
        table_.build(rows_, target, blanket, size);
        return penalised(Marginal::of(table_, criterion_), size);
    }

    double with(std::size_t candidate, double = 0.0) {
        table_.split_by(candidate);
        return penalised(Marginal::of_split(table_, criterion_), blanket_.size() + 1);
    }

    double without(std::size_t position) {
        rest_.resize(0);
        for (std::size_t k = 0; k < blanket_.size(); ++k)
            if (k != position) rest_.push(blanket_[k]);
        smaller_.build(rows_, target_, rest_.data(), rest_.size());
        return penalised(Marginal::of(smaller_, criterion_), rest_.size());
    }

  private:
    double penalised(double marginal, std::size_t size) const {
        return marginal - static_cast<double>(size) * criterion_.variable_cost;
    }

    BitRows rows_;
    Criterion criterion_;
    std::size_t target_ = 0;
    Buffer<std::int64_t> blanket_, rest_;
    typename Marginal::Table table_, smaller_;
};

}  // namespace markhood::MARKHOOD_TIER
