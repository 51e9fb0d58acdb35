// The marginal pseudo-likelihood of a blanket: a Dirichlet prior integrated out in every row.
//
//     sum over rows of  log G(1) - log G(n + 1) + sum over the target's two values of
//                       log G(n_x + 1/2) - log G(1/2)
//
// A candidate splits the rows, and a split is a look-up in the table of log-gammas. Taking a member
// out merges rows; the smaller table is simply built anew, since few blankets shrink.
#pragma once
#include "table.hpp"

namespace markhood::MARKHOOD_TIER {

class DirichletScorer {
  public:
    DirichletScorer(BitRows rows, Criterion criterion) : rows_(rows), criterion_(criterion) {}

    // Makes `blanket` the current one and returns its score.
    double set_blanket(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        target_ = target;
        blanket_.resize(size);
        for (std::size_t k = 0; k < size; ++k) blanket_[k] = blanket[k];
        table_.build(rows_, target, blanket, size);
        return penalised(marginal(table_.ones.data(), table_.totals.data(), table_.n_packs), size);
    }

    double with(std::size_t candidate, double = 0.0) {
        table_.split_by(candidate);
        const std::size_t n = table_.n_packs;
        return penalised(marginal(table_.ones.data() + n, table_.totals.data() + n, 2 * n), blanket_.size() + 1);
    }

    double without(std::size_t position) {
        rest_.resize(0);
        for (std::size_t k = 0; k < blanket_.size(); ++k)
            if (k != position) rest_.push(blanket_[k]);
        smaller_.build(rows_, target_, rest_.data(), rest_.size());
        return penalised(marginal(smaller_.ones.data(), smaller_.totals.data(), smaller_.n_packs), rest_.size());
    }

  private:
    double marginal(const Pack* ones, const Pack* totals, std::size_t n_packs) const {
        const double* log_gamma = criterion_.log_gamma;
        double sum = 0.0;
        for (std::size_t p = 0; p < n_packs; ++p) {
            for (std::size_t k = 0; k < kPack; ++k) {
                const auto all = static_cast<std::size_t>(totals[p][k]), one = static_cast<std::size_t>(ones[p][k]);
                sum += log_gamma[2 * one] + log_gamma[2 * (all - one)] - log_gamma[2 * all + 1];
            }
        }
        return sum;
    }

    double penalised(double marginal, std::size_t size) const {
        return marginal - static_cast<double>(size) * criterion_.variable_cost;
    }

    BitRows rows_;
    Criterion criterion_;
    std::size_t target_ = 0;
    Buffer<std::int64_t> blanket_, rest_;
    BlanketTable table_, smaller_;
};

}  // namespace markhood::MARKHOOD_TIER
